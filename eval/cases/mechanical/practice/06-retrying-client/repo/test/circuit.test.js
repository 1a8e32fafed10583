'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Circuit, CircuitOpen } = require('../src');

const fail = () => Promise.reject(new Error('down'));

async function trip(circuit, times) {
  for (let i = 0; i < times; i += 1) await circuit.run(fail).catch(() => {});
}

test('circuit: hands results through', async () => {
  assert.strictEqual(await new Circuit().run(async () => 7), 7);
});

test('circuit: hands errors through', async () => {
  await assert.rejects(new Circuit().run(fail), /down/);
});

test('circuit: opens after failures in a row', async () => {
  const circuit = new Circuit({ failures: 3 });
  await trip(circuit, 3);
  let called = false;
  await assert.rejects(circuit.run(async () => { called = true; }), CircuitOpen);
  assert.strictEqual(called, false);
});

test('circuit: stays closed below the limit', async () => {
  const circuit = new Circuit({ failures: 3 });
  await trip(circuit, 2);
  assert.strictEqual(await circuit.run(async () => 'up'), 'up');
  assert.strictEqual(circuit.state, 'closed');
});

test('circuit: one call is let through after the cooldown', async () => {
  let time = 0;
  const circuit = new Circuit({ failures: 2, cooldown: 1000, now: () => time });
  await trip(circuit, 2);
  time = 1000;
  assert.strictEqual(circuit.state, 'half-open');
  assert.strictEqual(await circuit.run(async () => 'up'), 'up');
  assert.strictEqual(circuit.state, 'closed');
});
