'use strict';

const { parseAddress } = require('./address');
const { isAutomatic } = require('./headers');
const { render } = require('./template');

/** Takes messages in, files them by team and keeps the answers to be sent. */
class Inbox {
  constructor(router, templates) {
    this.router = router;
    this.templates = templates;
    this.queues = new Map();
    this.outbox = [];
    this.nextTicket = 1;
  }

  receive(message) {
    const sender = parseAddress(message.from);
    if (isAutomatic(message)) return null;

    const team = this.router.route(message);
    const ticket = { id: this.nextTicket++, team, message };
    if (!this.queues.has(team)) this.queues.set(team, []);
    this.queues.get(team).push(ticket);

    const template = this.templates[team];
    if (template) {
      this.outbox.push({
        to: `${sender.local}@${sender.domain}`,
        text: render(template, { name: sender.name, ticket: ticket.id, subject: message.subject }),
      });
    }
    return ticket;
  }

  pending(team) {
    return (this.queues.get(team) || []).length;
  }
}

module.exports = { Inbox };
