// Lists what the TypeScript compiler sees in files: its input and output are
// those of oracle.py. The first argument is the folder of the package.
'use strict';
const ts = require(process.argv[2]);
const fs = require('fs');
const readline = require('readline');
const K = ts.SyntaxKind;

const suites = new Set(['describe', 'it', 'test', 'suite', 'context', 'specify', 'fdescribe', 'xdescribe', 'fit', 'xit', 'xtest']);

function bare(v) {
  while (v && (ts.isParenthesizedExpression(v) || ts.isAsExpression(v) || ts.isNonNullExpression(v) ||
    ts.isTypeAssertionExpression(v) || (ts.isSatisfiesExpression && ts.isSatisfiesExpression(v)))) v = v.expression;
  return v;
}

const isFunction = (v) => ts.isArrowFunction(v) || ts.isFunctionExpression(v);

function kindOf(value, top) {
  const v = bare(value);
  if (!v) return '';
  if (isFunction(v)) return 'function';
  if (ts.isClassExpression(v)) return 'class';
  if (top && ts.isCallExpression(v) && v.arguments.some(isFunction) &&
    (ts.isIdentifier(v.expression) || v.expression.getText().startsWith('React.'))) return 'function';
  return '';
}

function testWord(e) {
  for (let i = 0; i < 4 && e; i++) {
    if (ts.isIdentifier(e)) return suites.has(e.text);
    if (ts.isPropertyAccessExpression(e) || ts.isCallExpression(e)) e = e.expression;
    else return false;
  }
  return false;
}

function look(path) {
  const text = fs.readFileSync(path, 'utf8');
  const jsx = /\.(tsx|jsx|js|mjs|cjs)$/.test(path);
  const kind = /\.tsx$/.test(path) ? ts.ScriptKind.TSX : jsx ? ts.ScriptKind.JSX : ts.ScriptKind.TS;
  const sf = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const bad = sf.parseDiagnostics || [];
  if (bad.length) {
    const at = sf.getLineAndCharacterOfPosition(bad[0].start).line + 1;
    const why = ts.flattenDiagnosticMessageText(bad[0].messageText, ' ');
    return { file: path, error: `${why} at line ${at}`, code: bad[0].code, defs: [] };
  }
  // TypeScript also ends a line at U+2028; regions and editors here do not.
  const starts = [0];
  for (let i = 0; i < text.length; i++) if (text[i] === '\n') starts.push(i + 1);
  const line = (pos) => {
    let low = 0, high = starts.length;
    while (high - low > 1) { const mid = (low + high) >> 1; if (starts[mid] <= pos) low = mid; else high = mid; }
    return low + 1;
  };
  const defs = [];
  const add = (kind, name, outer) => defs.push([kind, name, line(outer.getStart(sf, false)), line(outer.end - 1)]);
  const nameText = (n) => (ts.isPrivateIdentifier(n) || ts.isIdentifier(n)) ? n.text : n.getText(sf);
  const single = (d) => {
    const list = d.parent;
    return ts.isVariableDeclarationList(list) && list.declarations.length === 1 && ts.isVariableStatement(list.parent) ? list.parent : d;
  };
  const statement = (n) => ts.isExpressionStatement(n.parent) ? n.parent : n;
  const stack = [sf];
  while (stack.length) {
    const n = stack.pop();
    if (ts.isFunctionDeclaration(n)) add('function', n.name ? n.name.text : 'default', n);
    else if (ts.isClassDeclaration(n)) add('class', n.name ? n.name.text : 'default', n);
    else if (ts.isInterfaceDeclaration(n) || ts.isTypeAliasDeclaration(n) || ts.isEnumDeclaration(n)) add('type', n.name.text, n);
    else if (ts.isModuleDeclaration(n)) {
      if (!ts.isModuleDeclaration(n.parent)) {
        let name = n.name.getText(sf);
        for (let b = n.body; b && ts.isModuleDeclaration(b); b = b.body) name += '.' + b.name.getText(sf);
        add('module', name, n);
      }
    } else if (ts.isMethodDeclaration(n) || ts.isGetAccessor(n) || ts.isSetAccessor(n)) {
      if (!ts.isTypeLiteralNode(n.parent) && !ts.isInterfaceDeclaration(n.parent)) add('method', nameText(n.name), n);
    } else if (ts.isConstructorDeclaration(n)) add('method', 'constructor', n);
    else if (ts.isPropertyDeclaration(n) || ts.isPropertyAssignment(n)) {
      const kind = n.initializer && kindOf(n.initializer, false);
      if (kind && nameText(n.name).length <= 80) add(kind === 'class' ? 'class' : 'method', nameText(n.name), n);
    } else if (ts.isVariableDeclaration(n) && ts.isIdentifier(n.name) && n.initializer && ts.isVariableDeclarationList(n.parent)) {
      const kind = kindOf(n.initializer, ts.isVariableStatement(n.parent.parent) && n.parent.parent.parent === sf);
      if (kind) add(kind, n.name.text, single(n));
    } else if (ts.isBinaryExpression(n) && n.operatorToken.kind === K.EqualsToken &&
      !ts.isArrayLiteralExpression(n.left) && !ts.isObjectLiteralExpression(n.left)) {
      const kind = kindOf(n.right, false);
      if (kind && n.left.getText(sf).length <= 80) add(kind, n.left.getText(sf), statement(n));
    } else if (ts.isExportAssignment(n) && !n.isExportEquals) {
      const kind = kindOf(n.expression, false);
      if (kind) add(kind, 'default', n);
    } else if (ts.isCallExpression(n) && n.arguments.length > 1 && testWord(n.expression) && n.arguments.some(isFunction) &&
      (ts.isStringLiteral(n.arguments[0]) || ts.isTemplateLiteral(n.arguments[0]))) {
      add('test', n.arguments[0].getText(sf), statement(n));
    }
    ts.forEachChild(n, (c) => { stack.push(c); });
  }
  return { file: path, error: null, defs };
}

readline.createInterface({ input: process.stdin }).on('line', (path) => {
  let out;
  try { out = look(path); } catch (e) { out = { file: path, error: 'oracle: ' + e.message, defs: [], broken: true }; }
  process.stdout.write(JSON.stringify(out) + '\n');
});
