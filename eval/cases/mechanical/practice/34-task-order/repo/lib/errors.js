export class TaskError extends Error {
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

export class CycleError extends TaskError {
  constructor(path) {
    super(`tasks wait for each other: ${path.join(' -> ')}`);
    this.path = path;
  }
}

export class UnknownTaskError extends TaskError {
  constructor(name, wantedBy) {
    super(wantedBy ? `unknown task ${name}, wanted by ${wantedBy}` : `unknown task ${name}`);
    this.task = name;
  }
}
