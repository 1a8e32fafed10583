'use strict';

const { scan, TemplateError } = require('./scan.js');

const NAME = /^[A-Za-z_][\w.-]*$/;

// Builds the list of nodes of one file.
function parse(source, file) {
  const root = { nodes: [] };
  const open = [root];
  const top = () => open[open.length - 1];
  const fail = (message) => {
    throw new TemplateError(message, file);
  };

  for (const piece of scan(source)) {
    if (piece.text !== undefined) {
      top().nodes.push({ type: 'text', text: piece.text });
      continue;
    }
    const { tag, raw } = piece;
    if (tag.startsWith('>')) {
      top().nodes.push(parseInclude(tag, fail));
    } else if (tag.startsWith('#')) {
      const node = parseBlock(tag, fail);
      top().nodes.push(node);
      open.push(node);
    } else if (tag === 'else') {
      const node = top();
      if (node.type !== 'if' || node.then) fail('else without if');
      node.then = node.nodes;
      node.nodes = [];
    } else if (tag.startsWith('/')) {
      const node = open.length > 1 ? open.pop() : null;
      if (!node || node.type !== tag.slice(1)) fail(`unexpected {{${tag}}}`);
    } else {
      if (!NAME.test(tag)) fail(`bad name ${tag}`);
      top().nodes.push({ type: 'value', name: tag, raw });
    }
  }
  if (open.length > 1) fail(`{{#${top().type}}} is not closed`);
  return root.nodes;
}

function parseInclude(tag, fail) {
  const [file, ...rest] = tag.slice(1).trim().split(/\s+/);
  if (!file) fail('include without a name');
  const set = rest.map((pair) => {
    const [name, from] = pair.split('=');
    if (!NAME.test(name) || !NAME.test(from ?? '')) fail(`bad setting ${pair}`);
    return { name, from };
  });
  return { type: 'include', file, set };
}

function parseBlock(tag, fail) {
  const words = tag.slice(1).split(/\s+/);
  if (words[0] === 'if' && words.length === 2) {
    return { type: 'if', name: words[1], nodes: [], then: null };
  }
  if (words[0] === 'each' && words.length === 4 && words[2] === 'as') {
    return { type: 'each', name: words[1], as: words[3], nodes: [] };
  }
  return fail(`bad block ${tag}`);
}

module.exports = { parse };
