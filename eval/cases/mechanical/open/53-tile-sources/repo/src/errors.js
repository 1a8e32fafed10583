export class NotFound extends Error {
  constructor(key) {
    super(`no tile ${key}`);
    this.name = 'NotFound';
    this.key = key;
  }
}

// All sources have failed; `causes` has their errors by the name of the source.
export class AllFailed extends Error {
  constructor(key, causes) {
    const list = [...causes].map(([name, cause]) => `${name}: ${cause.message}`).join('; ');
    super(`${key} could not be loaded (${list})`);
    this.name = 'AllFailed';
    this.key = key;
    this.causes = causes;
  }
}
