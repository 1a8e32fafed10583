'use strict';

const { NoHandler } = require('./errors');
const { jobOptions, queueOptions } = require('./options');
const { Heap } = require('./util/heap');
const { Log } = require('./util/log');

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Queue {
  constructor(options, { sleep = pause } = {}) {
    this.options = queueOptions(options);
    this.sleep = sleep;
    this.handlers = new Map();
    this.waiting = new Heap((a, b) => (a.priority !== b.priority ? a.priority > b.priority : a.id < b.id));
    this.finished = new Log(this.options.keep);
    this.nextId = 1;
  }

  handle(type, handler) {
    this.handlers.set(type, handler);
    return this;
  }

  add(type, data, options) {
    if (!this.handlers.has(type)) throw new NoHandler(type);
    const job = { id: this.nextId++, type, data, ...jobOptions(options, this.options), state: 'waiting', tries: 0 };
    this.waiting.push(job);
    return job;
  }

  /** Works until nothing is waiting. */
  async drain() {
    const workers = [];
    for (let i = 0; i < this.options.concurrency; i += 1) workers.push(this.work());
    await Promise.all(workers);
  }

  /** A finished job that is still remembered. */
  lookup(id) {
    return this.finished.find((job) => job.id === id);
  }

  async work() {
    for (let job = this.waiting.pop(); job !== undefined; job = this.waiting.pop()) {
      await this.run(job);
      this.finished.add(job);
    }
  }

  async run(job) {
    job.state = 'running';
    while (job.state === 'running') {
      job.tries += 1;
      try {
        job.result = await this.handlers.get(job.type)(job.data, job);
        job.state = 'done';
      } catch (error) {
        job.error = error;
        if (job.tries >= job.attempts) job.state = 'failed';
        else if (this.options.backoff > 0) await this.sleep(this.options.backoff * 2 ** (job.tries - 1));
      }
    }
  }
}

module.exports = { Queue };
