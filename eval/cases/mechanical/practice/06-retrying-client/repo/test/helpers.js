'use strict';

/** A transport that plays the given answers; errors are thrown. */
exports.script = function script(...answers) {
  const transport = async (request) => {
    transport.requests.push(request);
    const answer = answers[Math.min(transport.requests.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  transport.requests = [];
  return transport;
};

exports.ok = (body) => ({ status: 200, headers: {}, body: JSON.stringify(body) });
exports.status = (status, headers = {}) => ({ status, headers, body: '' });

exports.sleeper = function sleeper() {
  const sleep = async (ms) => {
    sleep.waits.push(ms);
  };
  sleep.waits = [];
  return sleep;
};
