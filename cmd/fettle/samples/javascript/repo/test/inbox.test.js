'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { Inbox, Router } = require('../src');

function setUp() {
  const router = new Router('support')
    .whenDomain('bigcorp.example', 'accounts')
    .whenSubject(/invoice|refund/i, 'billing');
  return new Inbox(router, {
    billing: 'Dear {{ name | customer }}, your request is no. {{ ticket }}.',
  });
}

function mail(fields) {
  return { from: 'ada@example.com', subject: 'Hello', body: '', headers: {}, ...fields };
}

test('mail without a rule goes to the fallback', () => {
  const inbox = setUp();
  assert.strictEqual(inbox.receive(mail()).team, 'support');
  assert.strictEqual(inbox.pending('support'), 1);
});

test('routes by subject', () => {
  assert.strictEqual(setUp().receive(mail({ subject: 'My Invoice' })).team, 'billing');
});

test('the first matching rule wins', () => {
  const ticket = setUp().receive(mail({ from: 'x@BigCorp.example', subject: 'refund' }));
  assert.strictEqual(ticket.team, 'accounts');
});

test('sends the canned answer', () => {
  const inbox = setUp();
  inbox.receive(mail({ from: 'Ada <ada@example.com>', subject: 'refund' }));
  assert.deepStrictEqual(inbox.outbox, [{ to: 'ada@example.com', text: 'Dear Ada, your request is no. 1.' }]);
});

test('no answer where the team has no template', () => {
  const inbox = setUp();
  inbox.receive(mail());
  assert.deepStrictEqual(inbox.outbox, []);
});

test('automatic mail is dropped', () => {
  const inbox = setUp();
  assert.strictEqual(inbox.receive(mail({ headers: { 'auto-submitted': 'auto-replied' } })), null);
  assert.strictEqual(inbox.receive(mail({ headers: { Precedence: 'bulk' } })), null);
  assert.strictEqual(inbox.pending('support'), 0);
});

test('"Auto-Submitted: no" is a person', () => {
  assert.notStrictEqual(setUp().receive(mail({ headers: { 'Auto-Submitted': 'no' } })), null);
});

test('a message from the web form has no headers', () => {
  const inbox = setUp();
  const ticket = inbox.receive({ from: 'ada@example.com', subject: 'refund', body: 'please' });
  assert.strictEqual(ticket.team, 'billing');
});

test('tickets are numbered in order', () => {
  const inbox = setUp();
  assert.deepStrictEqual([inbox.receive(mail()).id, inbox.receive(mail()).id], [1, 2]);
});

test('nothing is pending for an unknown team', () => {
  assert.strictEqual(setUp().pending('legal'), 0);
});
