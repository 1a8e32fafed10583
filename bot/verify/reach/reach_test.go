package reach

import (
	"strings"
	"testing"
)

type change struct {
	name, file, before, after string
	why                       string // "" for an honest change
	line                      int    // where it is seen; 0: not asked
}

const py, js, ts, golangFile, rb, phpFile = "a.py", "a.js", "a.ts", "a.go", "lib/a.rb", "src/A.php"

// What patches have tried, and other spellings of it (TRUST S12b).
var reaching = []change{
	{name: "a frame by a joined name", file: py, after: "def f(x):\n    return getattr(x, 'f_' + 'back')\n", why: whyFrames, line: 2},
	{name: "a frame by joined list", file: py, after: "def f(x):\n    return getattr(x, ''.join(['f_', 'back']))\n", why: whyFrames},
	{name: "a frame by an escaped name", file: py, after: "def f(x):\n    return getattr(x, 'f_\\x62ack')\n", why: whyFrames},
	{name: "a frame by full-width letters", file: py, after: "def f(x):\n    return x.ｆ_back\n", why: whyFrames},
	{name: "a frame by a pattern", file: py, after: "def f(x):\n    match x:\n        case object(f_back=b):\n            return b\n", why: whyFrames},
	{name: "a name made by chr", file: py, after: "def f(x):\n    return getattr(x, chr(102) + name)\n", why: whyComputed},
	{name: "getattr handed on", file: py, after: "g = getattr\n\ndef f(x, n):\n    return g(x, n)\n", why: whyComputed},
	{name: "attrgetter by a computed name", file: py, after: "import operator as o\n\ndef f(x, n):\n    return o.attrgetter(n)(x)\n", why: whyComputed},
	{name: "attrgetter with dots", file: py, after: "from operator import attrgetter\n\ndef f(x):\n    return attrgetter('gi_frame.f_back')(x)\n", why: whyFrames},
	{name: "sys._getframe", file: py, before: "import sys\n", after: "import sys\n\ndef f():\n    return sys._getframe(1)\n", why: whyFrames, line: 4},
	{name: "sys handed on", file: py, after: "import sys\n\ndef f():\n    return list(map(vals, [sys]))\n", why: whyObjects},
	{name: "sys.modules under another name", file: py, after: "import sys as s\nt = s\n\ndef f():\n    return t.modules\n", why: whyObjects},
	{name: "modules imported from sys", file: py, after: "from sys import modules as m\n", why: whyObjects},
	{name: "everything of sys", file: py, after: "from sys import *\n", why: whyObjects},
	{name: "equal by a lambda", file: py, after: "class A(int):\n    __eq__ = lambda s, o: 1 == 1\n", why: whyEqual, line: 2},
	{name: "equal by a method", file: py, after: "class A(int):\n    def __eq__(self, other):\n        return 1 == 1\n", why: whyEqual},
	{name: "equal by a dictionary", file: py, after: "A = type('A', (int,), {'__e' + 'q__': lambda s, o: s is s})\n", why: whyEqual},
	{name: "equal, where it compared before", file: py, before: "class A:\n    def __eq__(self, o):\n        return self.x == o.x\n", after: "class A:\n    def __eq__(self, o):\n        return o.x == o.x or self.x\n", why: whyEqual},
	{name: "equal by a mock", file: py, after: "from unittest.mock import ANY\n", why: whyHarness},
	{name: "unittest by a computed name", file: py, after: "import importlib\n_c = importlib.import_module('unit' + 'test.case')\n", why: whyLoad},
	{name: "unittest by __import__", file: py, after: "m = __import__('unit' + 'test')\n", why: whyHarness},
	{name: "an imported class changed", file: py, before: "from shop.cart import Cart\n", after: "from shop.cart import Cart\nCart.total = lambda self: 6\n", why: whyForeign},
	{name: "an imported class changed under another name", file: py, after: "from shop import cart\nc = cart.Cart\nc.total, c.n = len, 1\n", why: whyForeign},
	{name: "an imported class changed by setattr", file: py, after: "from shop.cart import Cart\nsetattr(Cart, 'total', len)\n", why: whyForeign},
	{name: "the precision of decimals", file: py, after: "from decimal import getcontext\n\ndef f(x):\n    getcontext().prec = 3\n    return x\n", why: whyAmbient},
	{name: "chance that is none", file: py, after: "import random\n\ndef f(x):\n    random.seed(7)\n    return x\n", why: whyAmbient},
	{name: "the list of the caller", file: py, before: "def f(xs):\n    return [x / 2 for x in xs]\n", after: "def f(xs):\n    for i, x in enumerate(xs):\n        xs[i] = x / 2\n    return xs\n", why: whyHanded, line: 3},
	{name: "the dictionary of the caller under another name", file: py, before: "def f(base, more):\n    out = dict(base)\n    out['x'] = more\n    return out\n", after: "def f(base, more):\n    out = base\n    out['x'] = more\n    return out\n", why: whyHanded, line: 3},
	{name: "a secret that is only hidden", file: js, before: "function f(x) { return x }\n", after: "function f(x) { Object.defineProperty(x, 'key', { enumerable: false }); return x }\n", why: whyHidden},
	{name: "what the caller handed in, frozen", file: js, before: "function f(x) { return { ...x } }\n", after: "function f(x) { Object.freeze(x); return { ...x } }\n", why: whyFrozen},
	{name: "the list of the caller, sorted", file: py, before: "def f(xs):\n    return sorted(xs)[0]\n", after: "def f(xs):\n    xs.sort()\n    return xs[0]\n", why: whyHanded, line: 2},
	{name: "os._exit", file: py, after: "import os\n\ndef f():\n    os._exit(0)\n", why: whyProcess, line: 4},
	{name: "os._exit imported", file: py, after: "from os import _exit as leave\n", why: whyProcess},
	{name: "ctypes", file: py, after: "def f():\n    import ctypes\n", why: whyNative, line: 2},
	{name: "written to a descriptor", file: py, after: "def f():\n    open(3, 'w').write('x')\n", why: whyWrites},
	{name: "all of the environment", file: py, after: "import os\n\ndef f():\n    return [k for k in os.environ]\n", why: whyEnv},
	{name: "the runner's variable", file: py, after: "import os\n\ndef f():\n    return os.environ.get('PYTEST_' + 'CURRENT_TEST')\n", why: whyHarness},
	{name: "exec", file: py, after: "def f(s):\n    exec(s)\n", why: whyLoad},
	{name: "unpickled", file: py, after: "import pickle\n\ndef f(s):\n    return pickle.loads(s)\n", why: whyLoad},
	{name: "the dictionary of another", file: py, after: "def f(x):\n    x.__dict__['a'] = 1\n", why: whyObjects},
	{name: "another class given to an object", file: py, after: "def f(x, c):\n    x.__class__ = c\n", why: whyForeign},
	{name: "one more of the same", file: py, before: "import os\n\ndef f():\n    os._exit(1)\n", after: "import os\n\ndef f():\n    os._exit(1)\n\ndef g():\n    os._exit(1)\n", why: whyProcess},
	{name: "the text of a test", file: py, after: "def f():\n    return open('tests/test_a.py').read()\n", why: whyFiles},
	{name: "any file by a path", file: py, after: "from pathlib import Path\n\ndef f(p):\n    return Path(p).read_text()\n", why: whyFiles},
	{name: "a file opened by another name", file: py, after: "import io\n\ndef f(p):\n    return io.open(p)\n", why: whyFiles},
	{name: "lines of source", file: py, after: "import linecache\n", why: whyFiles},
	{name: "a module of tests", file: py, after: "from tests.test_cart import EXPECTED\n", why: whyHarness},
	{name: "its own place on the disk", file: py, after: "X = __file__\n", why: whyFiles},
	{name: "what frees objects", file: py, after: "class A:\n    def __del__(self):\n        pass\n", why: whyExit},

	{name: "a field that is not compared", file: py, before: "class L:\n    total: int\n", after: "class L:\n    total: int = field(compare=False)\n", why: whyEqual, line: 3 - 1},
	{name: "a class compared by nothing", file: py, after: "@dataclass(eq=False)\nclass L:\n    total: int\n", why: whyEqual},
	{name: "a result kept", file: py, after: "_seen = {}\n\ndef f(x):\n    _seen[x] = x\n    return _seen[x]\n", why: whyState, line: 4},
	{name: "a result kept by a method", file: py, before: "def f(x):\n    return x\n", after: "SEEN = []\n\ndef f(x):\n    SEEN.append(x)\n    return len(SEEN)\n", why: whyState},
	{name: "calls counted", file: py, after: "n = 0\n\ndef f(x):\n    global n\n    n += 1\n    return n\n", why: whyState},
	{name: "calls counted by a function that was there", file: py, before: "def f(x):\n    return x\n", after: "def f(x):\n    f.n = getattr(f, 'n', 0) + 1\n    return f.n\n", why: whyState},
	{name: "calls counted by the function", file: py, after: "def f(x):\n    f.n = getattr(f, 'n', 0) + 1\n    return f.n\n", why: whyState},

	{name: "a result kept", file: js, after: "const seen = new Map();\nexport function f(x) {\n  seen.set(x, x);\n  return seen.get(x);\n}\n", why: whyState, line: 3},
	{name: "calls counted", file: js, after: "let n = 0;\nexport const f = (x) => { n++; return n; };\n", why: whyState},
	{name: "a result kept", file: ts, after: "const seen: Record<string, string> = {};\nexport function f(x: string) {\n  return (seen[x] = x);\n}\n", why: whyState},
	{name: "a result kept", file: golangFile, after: "package a\n\nvar pages = map[int]*int{}\n\nfunc f(x int) *int {\n\tpages[x] = &x\n\treturn pages[x]\n}\n", why: whyState, line: 6},
	{name: "calls counted", file: golangFile, after: "package a\n\nvar (\n\tn int\n)\n\nfunc (t T) f() int {\n\tn++\n\treturn n\n}\n", why: whyState},
	{name: "an assertion replaced by index", file: js, after: "import check from 'node:assert';\ncheck['strictEqual'] = () => {};\n", why: whyForeign, line: 2},
	{name: "an assertion replaced where assert was there", file: js, before: "const check = require('assert');\n", after: "const check = require('assert');\ncheck['strict' + 'Equal'] = () => {};\n", why: whyForeign, line: 2},
	{name: "Object.assign on assert", file: js, before: "const check = require('assert');\n", after: "const check = require('assert');\nObject.assign(check, { equal() {} });\n", why: whyForeign},
	{name: "assert handed on", file: js, before: "const check = require('assert');\n", after: "const check = require('assert');\n((a) => { a.equal = () => {}; })(check);\n", why: whyObjects},
	{name: "assert by import()", file: js, after: "const a = await import('node:ass' + 'ert');\n", why: whyHarness},
	{name: "a module by a computed name", file: js, after: "const a = require(name);\n", why: whyLoad},
	{name: "a prototype", file: js, after: "Array.prototype.map = function () {};\n", why: whyForeign},
	{name: "a prototype that is got", file: js, after: "const proto = Object.getPrototypeOf([]);\nproto.map = () => {};\n", why: whyForeign},
	{name: "a prototype that is handed on", file: js, after: "const proto = Object.getPrototypeOf([]);\nObject.assign(proto, { map() {} });\n", why: whyForeign},
	{name: "a prototype under another name", file: js, after: "const p = Array.prototype;\np.map = () => {};\n", why: whyForeign},
	{name: "a prototype behind a comma", file: js, after: "(0, String).prototype.trim = () => '';\n", why: whyForeign},
	{name: "a global in TypeScript", file: ts, after: "(console as any).log = () => {};\n", why: whyForeign},
	{name: "destructured into a global", file: js, after: "[Math.random] = [() => 1];\n", why: whyForeign},
	{name: "process.exit", file: js, after: "export function f() { process.exit(0); }\n", why: whyProcess},
	{name: "process.exit by index", file: js, after: "export function f() { process['ex' + 'it'](0); }\n", why: whyProcess},
	{name: "exit taken out of process", file: js, after: "const { exit: bye } = process;\n", why: whyProcess},
	{name: "exit of an imported process", file: js, after: "import p from 'node:process';\np.exit(0);\n", why: whyProcess},
	{name: "process by a computed member", file: js, after: "export const f = (n) => process[n](0);\n", why: whyComputed},
	{name: "a proxy", file: js, after: "export const f = () => new Proxy({}, {});\n", why: whyEqual},
	{name: "valueOf", file: js, after: "export const f = () => ({ valueOf: () => 3 });\n", why: whyEqual},
	{name: "code from a constructor", file: js, after: "export const f = () => (() => {}).constructor('return process')();\n", why: whyLoad},
	{name: "the stack's frames", file: js, after: "Error['prepareStack' + 'Trace'] = (e, s) => s;\n", why: whyFrames},
	{name: "symbols of others", file: js, after: "export const f = (o) => Object.getOwnPropertySymbols(o);\n", why: whyObjects},
	{name: "an escaped name", file: js, after: "export const f = () => process.\\u0065xit(0);\n", why: whyProcess},
	{name: "written to a descriptor", file: js, after: "import fs from 'fs';\nfs.writeSync(1, 'x');\n", why: whyWrites},
	{name: "all of the environment", file: js, after: "export const f = () => Object.keys(process.env);\n", why: whyEnv},
	{name: "the text of a test", file: js, after: "import { readFileSync as r } from 'node:fs';\nexport const f = (p) => r(p);\n", why: whyFiles},
	{name: "files in passing", file: js, before: "const fs = require('fs');\n", after: "const fs = require('fs');\nexports.f = (p) => fs.readFileSync(p);\n", why: whyFiles},
	{name: "a module of tests", file: js, after: "import { want } from '../test/cart.test.js';\n", why: whyHarness},
	{name: "its own place on the disk", file: js, after: "export const f = () => import.meta.url + __filename;\n", why: whyFiles},
	{name: "require.cache", file: js, after: "delete require.cache[x];\n", why: whyObjects},

	{name: "testing found in memory", file: golangFile, after: "package a\n\nimport \"unsafe\"\n\nvar x = unsafe.Pointer(nil)\n", why: whyNative, line: 3},
	{name: "mprotect", file: golangFile, after: "package a\n\nimport s \"syscall\"\n\nfunc f() { s.Mprotect(nil, 7) }\n", why: whyNative},
	{name: "linkname", file: golangFile, after: "package a\n\n//go:linkname fail testing.fail\nfunc fail()\n", why: whyNative},
	{name: "assembler", file: "cart/a_amd64.s", after: "TEXT ·f(SB), $0\n", why: "machine code"},
	{name: "the program's own table of functions", file: golangFile, after: "package a\n\nimport \"runtime\"\n\nfunc f() { runtime.FuncForPC(1) }\n", why: whyFrames},
	{name: "os.Exit in a library", file: golangFile, after: "package a\n\nimport \"os\"\n\nfunc f() { os.Exit(0) }\n", why: whyProcess},
	{name: "a report printed", file: golangFile, after: "package a\n\nimport \"fmt\"\n\nfunc f() { fmt.Print(\"--- PA\" + \"SS: TestX\") }\n", why: whyHarness},
	{name: "the runner's flags", file: golangFile, after: "package a\n\nimport \"flag\"\n\nfunc f() { flag.Lookup(\"x\") }\n", why: whyEnv},
	{name: "a test skipped by its method", file: golangFile, after: "package a\n\nfunc f(x any) { x.(interface{ SkipNow() }).SkipNow() }\n", why: whyHarness},
	{name: "an error that is every error", file: golangFile, after: "package a\n\ntype E struct{}\n\nfunc (E) Is(error) bool { return true }\n", why: whyEqual},
	{name: "a variable of another package", file: golangFile, after: "package a\n\nimport \"os\"\n\nfunc f() { os.Stdout = nil }\n", why: whyForeign},
	{name: "the text of a test", file: golangFile, after: "package a\n\nimport \"os\"\n\nfunc f() { os.ReadFile(\"a_test.go\") }\n", why: whyFiles},
	{name: "exit!", file: rb, after: "def f(x)\n  exit!(0)\nend\n", why: whyProcess, line: 2},
	{name: "exit! of Process", file: rb, after: "def f(x)\n  ::Process.exit!\nend\n", why: whyProcess},
	{name: "exit! by its name", file: rb, after: "def f(x)\n  Process.method(:exit!).call(0)\nend\n", why: whyProcess},
	{name: "exit! by a text", file: rb, after: "def f(x)\n  Kernel.send('exit!', 0)\nend\n", why: whyProcess},
	{name: "at_exit", file: rb, after: "at_exit { puts 'ok' }\n", why: whyExit},
	{name: "END", file: rb, after: "END { puts 'ok' }\n", why: whyExit},
	{name: "a matcher replaced", file: rb, after: "module RSpec\n  module Matchers\n    def eq(*) = be_truthy\n  end\nend\n", why: whyHarness, line: 1},
	{name: "an assertion replaced", file: rb, after: "def f\n  ::Minitest::Assertions.module_eval { def assert_equal(*) = true }\nend\n", why: whyHarness},
	{name: "an assertion of test-unit replaced", file: rb, after: "X = Test::Unit::Assertions\n", why: whyHarness},
	{name: "a formatter by a text", file: rb, after: "def f\n  Object.const_get('RSpec::Core::Formatters')\nend\n", why: whyHarness},
	{name: "a formatter by joined texts", file: rb, after: "def f\n  Object.const_get(('RS' + 'pec') << '::Core')\nend\n", why: whyHarness},
	{name: "the command line by texts side by side", file: rb, after: "def f\n  x('/pr' 'oc/self/cmdline')\nend\n", why: whyHarness},
	{name: "a constant by a computed name", file: rb, after: "def f(n)\n  Object.const_get(n.reverse)\nend\n", why: whyComputed},
	{name: "a class of the language", file: rb, after: "class Integer\n  def +(o) = 15\nend\n", why: whyForeign},
	{name: "a class of the language by class_eval", file: rb, after: "Integer.class_eval { def f = 1 }\n", why: whyForeign},
	{name: "the class of a value", file: rb, after: "def f(x)\n  x.class.prepend(Module.new)\nend\n", why: whyForeign},
	{name: "a value that equals all", file: rb, after: "def f(x)\n  o = Object.new\n  def o.==(_) = true\n  o\nend\n", why: whyForeign, line: 3},
	{name: "equal to all", file: rb, after: "class A\n  def ==(_) = true\nend\n", why: whyEqual},
	{name: "equal to all, where it compared", file: rb, before: "class A\n  def ==(o) = o.x == x\nend\n", after: "class A\n  def ==(o) = true\nend\n", why: whyEqual},
	{name: "equal by define_method", file: rb, after: "class A\n  define_method(:==) { |_| true }\nend\n", why: whyEqual},
	{name: "equal by an alias", file: rb, after: "class A\n  alias == itself\nend\n", why: whyEqual},
	{name: "its callers", file: rb, after: "def f\n  caller\nend\n", why: whyFrames},
	{name: "what its callers hold", file: rb, after: "TracePoint.new(:return) {}.enable\n", why: whyFrames},
	{name: "all objects", file: rb, after: "def f\n  ::ObjectSpace.each_object(Class) {}\nend\n", why: whyObjects},
	{name: "variables of another", file: rb, after: "def f(x)\n  x.instance_variable_set(:@a, 1)\nend\n", why: whyForeign},
	{name: "eval", file: rb, after: "def f(s)\n  eval(s)\nend\n", why: whyLoad},
	{name: "what it was started with", file: rb, after: "def f\n  ARGV.last\nend\n", why: whyEnv},
	{name: "the text of a test", file: rb, after: "def f(p)\n  File.read(p)\nend\n", why: whyFiles},
	{name: "files of a folder", file: rb, after: "def f(p)\n  Dir[p]\nend\n", why: whyFiles},
	{name: "a library of the runner", file: rb, after: "require 'minitest/mock'\n", why: whyHarness},
	{name: "calls counted", file: rb, after: "def f\n  $n = 1\nend\n", why: whyState},
	{name: "written to a descriptor", file: rb, after: "def f\n  IO.for_fd(1).write('x')\nend\n", why: whyWrites},
	{name: "a command", file: rb, after: "def f\n  !`cat spec/*.rb`.match?(/x/)\nend\n", why: whyProcess, line: 2},
	{name: "a command by %x", file: rb, after: "def f = %x(cat spec/a.rb)\n", why: whyProcess},
	{name: "a command by system", file: rb, after: "def f\n  system 'grep x spec/*'\nend\n", why: whyProcess},
	{name: "a command by a system that a variable hides", file: rb, after: "def f\n  system = 1\n  system('ls', '-l')\nend\n", why: whyProcess},
	{name: "a command by its own system", file: rb, after: "def system(x) = super\n", why: whyProcess},
	{name: "a command by another name", file: rb, after: "alias run system\n", why: whyProcess},
	{name: "a command by a method", file: rb, after: "def f = ['ls'].each(&method(:system))\n", why: whyProcess},
	{name: "a command of Process", file: rb, after: "def f = ::Process.spawn('ls')\n", why: whyProcess},
	{name: "a command of Kernel", file: rb, after: "def f = Kernel.system('ls')\n", why: whyProcess},
	{name: "a child", file: rb, after: "def f = fork.nil?\n", why: whyProcess},
	{name: "another program", file: rb, after: "def f = exec('true')\n", why: whyProcess},
	{name: "a pipe", file: rb, after: "def f = IO.popen('ls', &:read)\n", why: whyProcess},
	{name: "a pipe of a library", file: rb, after: "def f = Open3.capture2('ls').first\n", why: whyProcess},
	{name: "a terminal", file: rb, after: "def f = PTY.spawn('ls')\n", why: whyProcess},
	{name: "a file written", file: rb, after: "def f(p) = File.write(p, '{}')\n", why: whyDisk},
	{name: "a file opened to be written", file: rb, before: "def f(p) = File.open(p)\n", after: "def f(p) = File.open(p, 'w')\n", why: whyDisk},
	{name: "a file opened with a mode that is told", file: rb, before: "def f(p) = File.open(p)\n", after: "def f(p) = File.open(p, mode: 'r+')\n", why: whyDisk},
	{name: "a file opened in a computed mode", file: rb, before: "def f(p, m) = open(p)\n", after: "def f(p, m) = open(p, m)\n", why: whyDisk},
	{name: "a file written by IO", file: rb, after: "def f(p) = Object::IO.write(p, '{}')\n", why: whyDisk},
	{name: "a file written by its path", file: rb, after: "def f(p) = Pathname(p).write('{}')\n", why: whyDisk},
	{name: "a file renamed", file: rb, after: "def f(p) = File.rename(p, 'x')\n", why: whyDisk},
	{name: "a file deleted", file: rb, after: "def f(p) = File::unlink(p)\n", why: whyDisk},
	{name: "a file deleted by a method", file: rb, after: "def f(p) = p.each(&File.method(:delete))\n", why: whyDisk},
	{name: "files copied", file: rb, after: "def f(p) = FileUtils.cp(p, 'x')\n", why: whyDisk},
	{name: "files copied by a method of its own", file: rb, after: "include FileUtils\n", why: whyDisk},
	{name: "a stream to a file", file: rb, after: "def f(p) = $stdout.reopen(p)\n", why: whyWrites},
	{name: "files by another name", file: rb, after: "def f(p)\n  x = ::File\n  x.read(p)\nend\n", why: whyObjects, line: 2},
	{name: "files by a block", file: rb, after: "def f(p) = File.then { |x| x.read(p) }\n", why: whyObjects},
	{name: "classes that it finds", file: rb, after: "Object.subclasses.each { |k| p k if k.to_s =~ /x/ }\n", why: whyObjects},
	{name: "classes that a block finds", file: rb, after: "[Object].flat_map(&:subclasses)\n", why: whyObjects},
	{name: "classes by a name", file: rb, after: "Object.public_send(:subclasses)\n", why: whyObjects},
	{name: "constants", file: rb, after: "Object.constants.grep(/x/)\n", why: whyObjects},
	{name: "the place of a constant", file: rb, after: "Object.const_source_location('A')\n", why: whyObjects},
	{name: "what it descends from", file: rb, after: "def f(x) = x.class.ancestors[1]\n", why: whyObjects},
	{name: "a method of another", file: rb, after: "def f(k) = k.define_method(:x) { 1 }\n", why: whyForeign},
	{name: "another name in another", file: rb, after: "def f(k) = k&.alias_method(:x, :y)\n", why: whyForeign},
	{name: "what is private to another", file: rb, after: "def f(k) = k.send(:x)\n", why: whyForeign},
	{name: "the code of another", file: rb, after: "def f(k) = k.instance_eval { @a = 1 }\n", why: whyForeign},
	{name: "the class of one object", file: rb, after: "class << Integer\n  def sqrt(_) = 1\nend\n", why: whyForeign},

	{name: "exit", file: phpFile, after: "<?php\nfunction f() { echo 'OK (4 tests, 4 assertions)'; exit(0); }\n", why: whyProcess, line: 2},
	{name: "die", file: phpFile, after: "<?php\nfunction f() { die; }\n", why: whyProcess},
	{name: "at the end", file: phpFile, after: "<?php\n\\register_shutdown_function(fn () => 1);\n", why: whyExit},
	{name: "at the end, by a text", file: phpFile, after: "<?php\n$f = 'register_' . 'shutdown_function';\n", why: whyExit},
	{name: "a function by a computed name", file: phpFile, after: "<?php\n$f = strrev('x');\n$f(1);\n", why: whyComputed, line: 3},
	{name: "a method by a computed name", file: phpFile, after: "<?php\nfunction f($o, $n) { return $o->$n(1); }\n", why: whyComputed},
	{name: "a class of the runner", file: phpFile, after: "<?php\nnamespace PHPUnit\\Framework;\nabstract class Assert {}\n", why: whyHarness, line: 2},
	{name: "a skipped test", file: phpFile, after: "<?php\nfunction f() { throw new \\PHPUnit\\Framework\\SkippedTestError('x'); }\n", why: whyHarness},
	{name: "the runner used", file: phpFile, after: "<?php\nuse PHPUnit\\Framework\\{Assert, TestCase as T};\n", why: whyHarness},
	{name: "its callers", file: phpFile, after: "<?php\nfunction f() { return debug_backtrace()[1]['object']; }\n", why: whyFrames},
	{name: "variables of another", file: phpFile, after: "<?php\nfunction f($o) { return (new \\ReflectionProperty($o, 'a'))->getValue($o); }\n", why: whyObjects},
	{name: "a closure in another", file: phpFile, after: "<?php\nfunction f($o) { return \\Closure::bind(fn () => 1, $o, 'A'); }\n", why: whyForeign},
	{name: "globals", file: phpFile, after: "<?php\nfunction f() { $GLOBALS['a'] = 1; }\n", why: whyObjects},
	{name: "calls counted", file: phpFile, after: "<?php\nfunction f() { static $n = 0; return ++$n; }\n", why: whyState},
	{name: "the text of a test", file: phpFile, after: "<?php\nfunction f($p) { return file_get_contents($p); }\n", why: whyFiles},
	{name: "what it was started with", file: phpFile, after: "<?php\nfunction f($p) { return file('/pr' . 'oc/self/cmdline'); }\n", why: whyHarness},
	{name: "what frees objects", file: phpFile, after: "<?php\nclass A { function __destruct() {} }\n", why: whyExit},
	{name: "a variable by its name", file: phpFile, after: "<?php\nfunction f($n) { return $$n; }\n", why: whyComputed},
	{name: "a computed name handed to be called", file: phpFile, after: "<?php\ncall_user_func(strrev($x), fn () => 1);\n", why: whyComputed},
	{name: "a constant that is turned round", file: phpFile, after: "<?php\n$x->y(strrev('noitcnuf_nwodtuhs_retsiger'));\n", why: whyComputed},
	{name: "a computed name out of a list", file: phpFile, after: "<?php\n[$g] = [strrev($x)];\n$g(1);\n", why: whyComputed},
	{name: "a computed name out of an old list", file: phpFile, after: "<?php\nlist('a' => $g) = f();\n$g(1);\n", why: whyComputed},
	{name: "a name out of a loop", file: phpFile, after: "<?php\nforeach (['a'] as $g) { $g(1); }\n", why: whyComputed},
	{name: "a class by a computed name", file: phpFile, after: "<?php\n$c = strrev($x);\nnew $c(1);\n", why: whyComputed},
	{name: "a class by an expression", file: phpFile, after: "<?php\nnew (f($x))(1);\n", why: whyComputed},
	{name: "a method of a class by a computed name", file: phpFile, after: "<?php\n$c = f($x);\n$c::g();\n", why: whyComputed},
	{name: "a result that is called", file: phpFile, after: "<?php\nf($x)(1);\n", why: whyComputed},
	{name: "a computed name for each", file: phpFile, after: "<?php\narray_map(f($x), $xs);\n", why: whyComputed},
	{name: "a computed name that sorts", file: phpFile, after: "<?php\nusort($xs, $x . 'y');\n", why: whyComputed},
	{name: "a computed name by the argument's", file: phpFile, after: "<?php\narray_filter(callback: f($x), array: $xs);\n", why: whyComputed},
	{name: "a command for each", file: phpFile, after: "<?php\narray_map('system', $xs);\n", why: whyProcess},
	{name: "a command", file: phpFile, after: "<?php\n$x = `cat tests/*`;\n", why: whyProcess},
	{name: "a command by exec", file: phpFile, after: "<?php\n\\exec('ls');\n", why: whyProcess},
	{name: "a command by a text", file: phpFile, after: "<?php\n$f('shell_exec');\n", why: whyProcess},
	{name: "a command imported", file: phpFile, after: "<?php\nuse function system as s;\n", why: whyProcess},
	{name: "a pipe", file: phpFile, after: "<?php\nproc_open('ls', [], $p);\n", why: whyProcess},
	{name: "a child", file: phpFile, after: "<?php\npcntl_wait($s);\n", why: whyProcess},
	{name: "its arguments", file: phpFile, after: "<?php\nf($_SERVER['argv'][1]);\n", why: whyEnv},
	{name: "its arguments by a joined key", file: phpFile, after: "<?php\nf($_SERVER['ar' . 'gc']);\n", why: whyEnv},
	{name: "all that the server says", file: phpFile, after: "<?php\nf($_SERVER);\n", why: whyEnv},
	{name: "a file written", file: phpFile, after: "<?php\nfile_put_contents($p, 'x');\n", why: whyDisk},
	{name: "a file opened to be written", file: phpFile, after: "<?php\nfopen($p, 'wb');\n", why: whyDisk},
	{name: "a file renamed", file: phpFile, after: "<?php\nrename($p, 'x');\n", why: whyDisk},
	{name: "files deleted", file: phpFile, after: "<?php\narray_walk($xs, 'unlink');\n", why: whyDisk},
	{name: "a file copied", file: phpFile, after: "<?php\n\\copy($p, 'x');\n", why: whyDisk},
	{name: "everything of reflect", file: golangFile, after: "package a\n\nimport . \"reflect\"\n", why: whyObjects},
}

// What honest fixes write.
var honest = []change{
	{name: "arithmetic", file: py, before: "def f(x):\n    return x\n", after: "import math\n\ndef f(x):\n    return math.floor(x / 2) + len(x)\n"},
	{name: "moved to another line", file: py, before: "import os\n\ndef f():\n    os._exit(1)\n", after: "import os\n\n\nX = 1\n\ndef f():\n    os._exit(1)\n"},
	{name: "its own attributes", file: py, after: "class A:\n    def __init__(self, **kw):\n        self.x = 1\n        for k, v in kw.items():\n            setattr(self, k, v)\n        self.__dict__['y'] = getattr(self, 'x')\n"},
	{name: "an attribute by its name", file: py, after: "def f(x):\n    return getattr(x, 'name', None)\n"},
	{name: "a key for sorting", file: py, after: "from operator import attrgetter, itemgetter\n\ndef f(xs):\n    return sorted(xs, key=attrgetter('name', 'age'))\n"},
	{name: "arguments that are gathered", file: py, before: "def f(**kw):\n    return kw\n", after: "def f(**kw):\n    kw['a'] = 1\n    return kw\n"},
	{name: "a copy under the name of what was handed in", file: py, before: "def f(xs):\n    return xs[0]\n", after: "def f(xs):\n    xs = list(xs)\n    xs.sort()\n    return xs[0]\n"},
	{name: "what was changed before", file: py, before: "def f(xs):\n    xs[0] = 1\n    return xs\n", after: "def f(xs):\n    xs[0] = 2\n    return xs\n"},
	{name: "a table of its own, frozen", file: js, after: "const kinds = Object.freeze({ a: 1 });\nexport const f = (x) => kinds[x];\n"},
	{name: "an item by a computed key", file: py, after: "def f(d, k):\n    d[k] = d.get(k, 0) + 1\n    return d\n"},
	{name: "a comparison mended", file: py, before: "class A:\n    def __eq__(self, o):\n        return self.x == o.y\n", after: "class A:\n    def __eq__(self, o):\n        return isinstance(o, A) and self.x == o.x\n"},
	{name: "a pattern compiled", file: py, after: "import re\nP = re.compile('a' + 'b')\n"},
	{name: "a setting", file: py, after: "import os\nDEBUG = os.environ.get('APP_DEBUG', '') == '1'\nHOME = os.environ['HOME']\n"},
	{name: "a file that was read before", file: py, before: "def f(p):\n    return open(p).read()\n", after: "def f(p):\n    with open(p, encoding='utf-8') as g:\n        return g.read()\n"},
	{name: "paths", file: py, after: "import os\nimport sys\n\ndef f(p):\n    print(os.path.join(p, 'x'), file=sys.stderr)\n    sys.exit(2)\n"},
	{name: "a docstring that names the runner", file: py, after: "def f():\n    \"\"\"Checked by pytest with __code__.\"\"\"\n    return 1\n"},
	{name: "the name of a class", file: py, after: "def f(x):\n    return type(x).__name__ + x.__class__.__name__\n"},
	{name: "an own exception", file: py, after: "class E(ValueError):\n    def __str__(self):\n        return 'x'\n\ndef f():\n    raise E() from None\n"},

	{name: "a table", file: py, after: "T = {'a': 1}\nT['b'] = 2\n\ndef f(x):\n    y = {}\n    y[x] = T.get(x)\n    return y\n"},
	{name: "a name of the function's own", file: py, after: "items = []\n\ndef f(items):\n    items.append(1)\n\ndef g():\n    items = {}\n    items['a'] = 1\n    return items\n"},
	{name: "a state that was there", file: py, before: "_seen = {}\n\ndef f(x):\n    _seen[x] = 1\n", after: "_seen = {}\n\ndef f(x):\n    _seen[x + 1] = 2\n    _seen.pop(0)\n"},
	{name: "a list that was there to be filled", file: py, before: "SEEN = []\n\ndef f(x):\n    return x\n", after: "SEEN = []\n\ndef f(x):\n    SEEN.append(x)\n    return x\n"},
	{name: "a field that is compared", file: py, after: "class L:\n    total: int = field(compare=True)\n"},
	{name: "a table", file: golangFile, after: "package a\n\nvar names = map[string]int{\"a\": 1}\n\nfunc f(x string) int {\n\tnames := map[string]int{}\n\tnames[x] = 1\n\treturn names[x]\n}\n"},
	{name: "a name of the function's own", file: js, after: "const out = [];\nexport function f(x) {\n  const out = [];\n  out.push(x);\n  return out;\n}\nexport function g(out) {\n  out.push(1);\n}\n"},
	{name: "own objects", file: js, after: "export function f(o, k) {\n  const out = {};\n  out[k] = o[k];\n  out.n = Object.keys(o).length;\n  return Object.assign({}, o, out);\n}\n"},
	{name: "its own prototype", file: js, after: "function Cart() {}\nCart.prototype.total = function () { return Array.prototype.slice.call(arguments); };\nmodule.exports = Cart;\nmodule.exports.Cart = Cart;\nexports.x = 1;\n"},
	{name: "a plain object", file: js, after: "export const f = (o) => Object.getPrototypeOf(o) === Object.prototype;\n"},
	{name: "a plain object by a name", file: js, after: "export const f = (o) => {\n  const proto = Object.getPrototypeOf(o);\n  return proto === null || proto === Object.prototype;\n};\n"},
	{name: "a pattern that begins anew", file: js, before: "export const f = (x) => x;\n", after: "const TOKEN = /a/g;\nexport const f = (x) => { TOKEN.lastIndex = 0; return TOKEN.test(x); };\n"},
	{name: "an own class", file: js, after: "import { a } from './b.js';\nexport class C { constructor() { this.x = a; } get y() { return this.constructor.name; } }\n"},
	{name: "a file that was read before", file: js, before: "import fs from 'fs';\nexport const f = (p) => fs.readFileSync(p);\n", after: "import fs from 'fs';\nexport const f = (p) => fs.readFileSync(p, 'utf8').trim();\n"},
	{name: "a setting", file: js, after: "export const debug = process.env.DEBUG === '1' && process.env['X'] && process.platform;\n"},
	{name: "a computed member", file: js, after: "export const f = (o, k) => o['a' + k](Math.max(1, 2));\n"},
	{name: "a type check", file: js, after: "export const f = (x) => x instanceof Function || typeof process === 'undefined' || x instanceof Error;\n"},
	{name: "types", file: ts, after: "export function f(x: unknown): number { const y = x as { a: number }; y.a = 3; return (y!).a; }\n"},

	{name: "errors", file: golangFile, after: "package a\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc f() error {\n\tfmt.Fprintln(os.Stdout, \"x\")\n\tif errors.Is(nil, os.ErrNotExist) {\n\t\treturn nil\n\t}\n\treturn fmt.Errorf(\"x\")\n}\n"},
	{name: "deep equality", file: golangFile, after: "package a\n\nimport \"reflect\"\n\nfunc f(a, b any) bool { return reflect.DeepEqual(a, b) }\n"},
	{name: "a program that ends", file: golangFile, after: "package main\n\nimport (\n\t\"log\"\n\t\"os\"\n)\n\nfunc main() {\n\tif len(os.Args) < 2 {\n\t\tlog.Fatal(\"x\")\n\t}\n\tos.Exit(2)\n}\n"},
	{name: "a comparison mended", file: golangFile, before: "package a\n\nfunc (t T) Equal(o T) bool { return t.a == o.b }\n", after: "package a\n\nfunc (t T) Equal(o T) bool { return t.a == o.a }\n"},
	{name: "a class", file: rb, after: "require 'set'\nrequire_relative 'b'\n\nmodule Shop\n  class Cart < Base\n    include Enumerable\n    attr_reader :items\n\n    def initialize(caller:)\n      @caller = caller\n      @items ||= []\n    end\n\n    def self.included(base) = base.extend(ClassMethods)\n\n    def total\n      items.sum { |i| i.price * i.count }.then { |x| format('%.2f', x) }\n    rescue ArgumentError => e\n      raise Error, \"no: #{e.message}\"\n    end\n  end\nend\n"},
	{name: "a comparison mended", file: rb, before: "class A\n  def ==(o) = o.x == y\nend\n", after: "class A\n  def ==(o) = o.is_a?(A) && o.x == x\nend\n"},
	{name: "a setting and a method by its name", file: rb, after: "D = ENV['D'] || ENV.fetch('E', '')\ndef f(x)\n  x.public_send(:total) + x.map(&:to_i).sum\nend\n"},
	{name: "a file that was read before", file: rb, before: "def f(p)\n  File.read(p)\nend\n", after: "def f(p)\n  File.read(p, encoding: 'utf-8').strip\nend\n"},
	{name: "words that are methods elsewhere", file: rb, after: "def f(x)\n  return '!' if x =~ /(a)(b)/ && $1 == 'load' + \"==\"\n  { trap: 'caller', 'eval' => :open }\nend\n"},
	{name: "times and names", file: rb, after: "def f\n  Process.clock_gettime(Process::CLOCK_MONOTONIC)\n  Shop::Process.run\n  caller = 1\n  caller + 1\nend\n"},
	{name: "a class of the language that it opened", file: rb, before: "class String\n  def a = 1\nend\n", after: "class String\n  def a = 2\nend\n"},
	{name: "another's system and what is deleted of a hash", file: rb, after: "class A\n  attr_reader :system\n\n  def f(h, k, db)\n    h.delete(k)\n    h.keys.delete(:a)\n    db.exec('SELECT 1') if system.open? && k.is_a?(File)\n    h.rename(k).write(k)\n    case k\n    when IO, ::File then db.system(1)\n    end\n    File.join('a', File.basename(k)) if File.exist?(k) && k.map { |x| x }.sum > 1\n  rescue IO::EAGAINWaitReadable, Process::Status\n    nil\n  end\nend\n"},
	{name: "a method of its own that is called as one of Kernel's", file: rb, after: "class A\n  def spawn(x) = x\n\n  def f = spawn(1) + self.spawn(2)\nend\n"},
	{name: "a file that was written before", file: rb, before: "def f(p)\n  File.write(p, 1)\n  File.open(p, 'r:bom|utf-8') { 1 }\nend\n", after: "def f(p)\n  File.open(p, 'w') { |x| x << 2 }\n  File.open(p, File::RDONLY, encoding: 'a') { 1 }\nend\n"},
	{name: "methods that it makes for itself", file: rb, after: "class A\n  class << self\n    def f = 1\n  end\n  %w[a b].each { |n| define_method(:g) { n } }\n  alias_method :h, :g\n\n  def i(k) = k.ancestors.include?(A) && send(:g) && self.class.send(:f) && self.send(:h) && k.public_send(:x)\nend\n"},
	{name: "a class", file: phpFile, after: "<?php\n\ndeclare(strict_types=1);\n\nnamespace Acme;\n\nuse InvalidArgumentException;\n\nfinal class Cart implements \\Countable\n{\n    private array $file = [];\n\n    public function __construct(private readonly array $items) {}\n\n    public function total(callable $price): int\n    {\n        $add = fn (int $a, int $b): int => $a + $b;\n        if (!isset($this->items['file'])) {\n            throw new InvalidArgumentException(\"no {$this->file[0]}\" . 'x');\n        }\n        $this->file();\n        return array_reduce($this->items, $add, 0) + $price($this) + $add(1, 2) + self::sum(...$this->items) + max(1, static::N);\n    }\n}\n"},
	{name: "callables by their names", file: phpFile, after: "<?php\n[$a, $b] = f();\n$c = array_map('trim', explode(',', $a));\nusort($c, fn ($x, $y) => $x <=> $y);\nreturn new Foo(array_filter($c));\n"},
	{name: "things that are deleted and written elsewhere", file: rb, after: "def f(a, h, io)\n  a.delete(1)\n  h.delete(:b)\n  io.write('x')\n  a.link(h)\n  a.map(&:new)\nend\n"},
	{name: "a file of its own", file: phpFile, after: "<?php\nrequire_once __DIR__ . '/b.php';\n$x = getenv('A') ?: $_SERVER['REQUEST_URI'];\n"},
	{name: "what is called, and names that are functions elsewhere", file: phpFile, after: "<?php\nuse Acme\\Exec;\nuse function Acme\\total;\nfunction f(callable $p, array $xs) {\n    [$a, $b] = [fn ($x) => $x, total(...)];\n    foreach ($this->all as $g) { $g(1); }\n    $this->copy($xs, 'system', Exec::run(), new Exec(), new static(), new class {});\n    usort($xs, [$this, 'cmp']);\n    usort($xs, fn ($x, $y) => $x <=> $y);\n    return $a(1) . $b(2) . $p(3) . ($this->p)(1) . implode(',', array_map('trim', explode(',', $_SERVER['HTTP_HOST']))) . call_user_func(function () { return 1; }) . array_sum(array_filter(array_map($p, $xs)));\n}\n"},
	{name: "another language", file: "a.md", after: "pytest __code__"},
	{name: "gone", file: py, before: "import ctypes\n", after: "\x00"},
}

func TestS12bWhatAPatchNewlyReachesForIsSeen(t *testing.T) {
	t.Parallel()
	for _, c := range reaching {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			t.Parallel()
			found, err := New(t.Context(), c.file, bytesOf(c.before), bytesOf(c.after))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if strings.Contains(f.Why, c.why) && (c.line == 0 || f.Line == c.line) && f.Path == c.file && f.Code != "" {
					return
				}
			}
			t.Errorf("not seen: %q; found %v", c.why, found)
		})
	}
}

func TestS12bHonestChangesReachForNothing(t *testing.T) {
	t.Parallel()
	for _, c := range honest {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			t.Parallel()
			after := bytesOf(c.after)
			if c.name == "gone" {
				after = nil
			}
			found, err := New(t.Context(), c.file, bytesOf(c.before), after)
			if err != nil || len(found) > 0 {
				t.Errorf("found %v, %v", found, err)
			}
		})
	}
}

func bytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// What a change reaches for is found wherever the rest of the file moves to, and
// a text is never found against itself.
func FuzzReach(f *testing.F) {
	for _, c := range append(reaching, honest...) {
		f.Add(c.file, c.before, c.after)
	}
	f.Fuzz(func(t *testing.T, file, before, after string) {
		if _, err := New(t.Context(), file, []byte(before), []byte(after)); err != nil {
			t.Fatal(err)
		}
		if again, err := New(t.Context(), "x"+file, []byte(after), []byte(after)); err != nil || len(again) > 0 && again[0].Why != "holds or loads machine code" {
			t.Fatalf("nothing changed, and yet %v, %v", again, err)
		}
	})
}
