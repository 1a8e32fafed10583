'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Circuit, CircuitOpen, Client, retry } = require('../src');
const { ok, script, sleeper, status } = require('./helpers');

const fail = async () => {
  throw new Error('down');
};

test('more: failures are counted', async () => {
  const circuit = new Circuit({ failures: 3 });
  await assert.rejects(circuit.run(fail));
  assert.strictEqual(circuit.failures, 1);
  await assert.rejects(circuit.run(fail));
  assert.strictEqual(circuit.failures, 2);
  assert.strictEqual(circuit.state, 'closed');
  await assert.rejects(circuit.run(fail), /down/);
  assert.strictEqual(circuit.state, 'open');
});

test('more: a success between starts the count again', async () => {
  const circuit = new Circuit({ failures: 2 });
  await circuit.run(fail).catch(() => {});
  await circuit.run(async () => 1);
  await circuit.run(fail).catch(() => {});
  assert.strictEqual(circuit.state, 'closed');
});

test('more: a slow failure counts as well', async () => {
  const circuit = new Circuit({ failures: 1 });
  await assert.rejects(circuit.run(() => new Promise((_, reject) => setTimeout(reject, 5, new Error('late')))), /late/);
  assert.strictEqual(circuit.state, 'open');
});

test('more: a synchronous throw counts as well', async () => {
  const circuit = new Circuit({ failures: 1 });
  await assert.rejects(circuit.run(() => { throw new Error('at once'); }), /at once/);
  assert.strictEqual(circuit.state, 'open');
});

test('more: failing while half-open opens it again', async () => {
  let time = 0;
  const circuit = new Circuit({ failures: 2, cooldown: 100, now: () => time });
  await circuit.run(fail).catch(() => {});
  await circuit.run(fail).catch(() => {});
  time = 150;
  await assert.rejects(circuit.run(fail), /down/);
  assert.strictEqual(circuit.state, 'open');
  time = 249;
  await assert.rejects(circuit.run(async () => 1), CircuitOpen);
  time = 250;
  assert.strictEqual(await circuit.run(async () => 1), 1);
});

test('more: plain values pass', async () => {
  assert.strictEqual(await new Circuit().run(() => 5), 5);
});

test('more: the client stops asking over several requests', async () => {
  const transport = script(status(500));
  const client = new Client({
    baseUrl: 'http://x', transport, circuit: new Circuit({ failures: 4 }), retries: { sleep: sleeper() },
  });
  await assert.rejects(client.get('a'), /answered 500/);
  await assert.rejects(client.get('a'), /circuit is open/);
  await assert.rejects(client.get('a'), /circuit is open/);
  assert.strictEqual(transport.requests.length, 4);
});

test('more: retry counts its attempts', async () => {
  const seen = [];
  await retry(async (n) => { seen.push(n); if (n < 3) throw new Error('x'); }, { sleep: sleeper() });
  assert.deepStrictEqual(seen, [1, 2, 3]);
  assert.deepStrictEqual(ok(1).status, 200);
});
