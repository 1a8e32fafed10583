package danger_test

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/verify/danger"
)

// change is a file before and after; kind is what has to be found, "" for nothing.
type change struct {
	name, file, before, after string
	kind                      danger.Kind
	issue                     string
}

const (
	py = "app/core.py"
	js = "lib/core.js"
	ts = "lib/core.ts"
	gg = "core/core.go"
)

func find(t *testing.T, c change) []danger.Finding {
	t.Helper()
	f := danger.File{Path: c.file, After: []byte(c.after)}
	if c.before != "" {
		f.Before = []byte(c.before)
	}
	found, err := danger.Find(t.Context(), []danger.File{f}, danger.Known{Issue: c.issue})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func check(t *testing.T, all []change) {
	for _, c := range all {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			found := find(t, c)
			var kinds []string
			hit := false
			for _, f := range found {
				kinds = append(kinds, string(f.Kind)+" "+f.String())
				hit = hit || f.Kind == c.kind
				if f.Line < 1 || f.Why == "" || f.Risk <= 0 {
					t.Errorf("a finding without a line, reason or risk: %+v", f)
				}
			}
			if c.kind == "" && len(found) > 0 {
				t.Errorf("found in an honest change:\n%s", strings.Join(kinds, "\n"))
			}
			if c.kind != "" && !hit {
				t.Errorf("want %s, found %q", c.kind, kinds)
			}
		})
	}
}

func TestC6ReadingTheEnvironmentIsADoubt(t *testing.T) {
	check(t, []change{
		{"all of it, imported", py, "x = 1\n", "from os import environ\nprint(environ)\n", danger.Secrets, ""},
		{"a key in a text", py, "def f(api_key):\n    pass\n", "def f(api_key):\n    log.debug(f'with {api_key}')\n", danger.Secrets, ""},
		{"all of it is printed", py, "import os\n", "import os\n\ndef f():\n    print(dict(os.environ))\n", danger.Secrets, ""},
		{"under another name", py, "x = 1\n", "from os import environ as e\nx = e['AWS_SECRET']\n", danger.Secrets, ""},
		{"one variable", py, "import os\n", "import os\nkey = os.getenv('TOKEN')\n", danger.Secrets, ""},
		{"the same variable again", py, "import os\na = os.environ['A']\n", "import os\na = os.environ['A']\nb = os.environ['A']\n", "", ""},
		{"a password is logged", py, "def f(user):\n    log.info('in')\n", "def f(user):\n    log.info('in %s', user.password)\n", danger.Secrets, ""},
		{"a token of a parser is printed", py, "def f(token):\n    pass\n", "def f(token):\n    print(token)\n", "", ""},
		{"the keys of ssh", py, "x = 1\n", "x = open('/root/.ssh/id_rsa')\n", danger.Secrets, ""},
		{"process.env", js, "f()\n", "console.log(process.env)\n", danger.Secrets, ""},
		{"one of process.env", ts, "f()\n", "const k = process.env.API_KEY\n", danger.Secrets, ""},
		{"another env", js, "f()\n", "const k = page.env.key\n", "", ""},
		{"Getenv", gg, "package a\n", "package a\n\nimport \"os\"\n\nvar k = os.Getenv(\"K\")\n", danger.Secrets, ""},
		{"Environ", gg, "package a\n", "package a\n\nimport o \"os\"\n\nvar k = o.Environ()\n", danger.Secrets, ""},
		{"printenv", "ci/build.sh", "make\n", "make\nprintenv | sort\n", danger.Secrets, ""},
		{"a secret is printed", ".github/workflows/ci.yml", "on: push\n", "on: push\nrun: echo ${{ secrets.NPM_TOKEN }}\n", danger.Secrets, ""},
		{"an echo", "ci/build.sh", "make\n", "make\necho environment ready\n", "", ""},
		{"metadata of the cloud", py, "x = 1\n", "x = get('http://169.254.169.254/latest')\n", danger.Secrets, ""},
	})
}

func TestC6ANewAddressIsADoubt(t *testing.T) {
	check(t, []change{
		{"a URL", py, "x = 1\n", "x = 'https://collect.evil.io/a'\n", danger.Address, ""},
		{"a URL joined of parts", js, "f()\n", "post('https://' + 'collect.evil.io' + '/a')\n", danger.Address, ""},
		{"a number", gg, "package a\n", "package a\n\nvar x = \"http://203.1.113.7:8080/x\"\n", danger.Address, ""},
		{"in YAML", "deploy/app.yaml", "a: 1\n", "a: 1\nurl: https://collect.evil.io\n", danger.Address, ""},
		{"loopback", py, "x = 1\n", "x = 'http://127.0.0.1:80/a'\n", "", ""},
		{"example.com", py, "x = 1\n", "x = 'https://api.example.com/a'\n", "", ""},
		{"documentation", py, "x = 1\n", "raise ValueError('see https://docs.python.org/3/')\n", "", ""},
		{"known to the file", py, "x = 'https://api.shop.io/a'\n", "x = 'https://api.shop.io/b'\ny = 'https://api.shop.io/c'\n", "", ""},
		{"in a comment", py, "x = 1\n", "# see https://blog.somebody.io/x\nx = 1\n", "", ""},
		{"in a docstring", py, "def f():\n    return 1\n", "def f():\n    \"\"\"See https://blog.somebody.io/x\"\"\"\n    return 1\n", "", ""},
	})
	found, err := danger.Find(t.Context(), []danger.File{{Path: py, Before: []byte("x = 1\n"), After: []byte("x = 'https://api.shop.io'\n")}},
		danger.Known{Names: func(h string) bool { return h == "api.shop.io" }})
	if err != nil || len(found) > 0 {
		t.Errorf("a host that the repository knows: %v, %v", found, err)
	}
}

func TestC6CredentialsInCodeAreADoubt(t *testing.T) {
	check(t, []change{
		{"a password", py, "x = 1\n", "password = 'hunter2hunter2'\n", danger.Credential, ""},
		{"an API key", js, "f()\n", "const c = { apiKey: 'q8f7a6s5d4f3' }\n", danger.Credential, ""},
		{"a private key", gg, "package a\n", "package a\n\nconst k = `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\n-----END RSA PRIVATE KEY-----`\n", danger.Credential, ""},
		{"in YAML", "deploy/app.yaml", "a: 1\n", "a: 1\ndb_password: hunter2hunter2\n", danger.Credential, ""},
		{"a placeholder", py, "x = 1\n", "password = 'your-password-1'\n", "", ""},
		{"a name", py, "x = 1\n", "password_field = 'user_login_1'\n", "", ""},
	})
}

func TestC6StartingProcessesIsADoubt(t *testing.T) {
	check(t, []change{
		{"os.system", py, "x = 1\n", "import os\nos.system('ls')\n", danger.Execution, ""},
		{"os.system in passing", py, "x = 1\n", "__import__('os').system('ls')\n", danger.Execution, ""},
		{"subprocess under another name", py, "x = 1\n", "from subprocess import run as go\ngo(['ls'])\n", danger.Execution, ""},
		{"another command", py, "import os\nos.system('ls')\n", "import os\nos.system('curl x | sh')\n", danger.Execution, ""},
		{"a shell", py, "import subprocess\nsubprocess.run(c)\n", "import subprocess\nsubprocess.run(c, shell=True)\n", danger.Execution, ""},
		{"no shell any more", js, "const { execSync } = require('child_process');\nfunction git(a) { return execSync('git ' + a) }\n", "const { execFileSync } = require('child_process');\nfunction git(a) { return execFileSync('git', a) }\n", "", ""},
		{"a process elsewhere", js, "const { execSync } = require('child_process');\nfunction git(a) { return execSync('git ' + a) }\nfunction f() {}\n", "const { execSync, execFileSync } = require('child_process');\nfunction git(a) { return execSync('git ' + a) }\nfunction f() { execFileSync('git', []) }\n", danger.Execution, ""},
		{"another variable", py, "import subprocess\nsubprocess.run(c)\n", "import subprocess\nsubprocess.run(command)\n", "", ""},
		{"eval", py, "x = 1\n", "x = eval(y)\n", danger.Execution, ""},
		{"a method called eval", py, "x = 1\n", "x = model.eval(y)\n", "", ""},
		{"re.compile", py, "import re\n", "import re\nx = re.compile('a')\n", "", ""},
		{"pickle", py, "x = 1\n", "import pickle\nx = pickle.loads(y)\n", danger.Execution, ""},
		{"yaml.load", py, "import yaml\nx = yaml.safe_load(y)\n", "import yaml\nx = yaml.load(y, Loader=yaml.Loader)\n", danger.Execution, ""},
		{"yaml.load, safe", py, "import yaml\n", "import yaml\nx = yaml.load(y, Loader=yaml.SafeLoader)\n", "", ""},
		{"child_process", js, "f()\n", "const { execSync: run } = require('child_process')\nrun('ls')\n", danger.Execution, ""},
		{"child_process in passing", js, "f()\n", "require('node:child_process').exec(x)\n", danger.Execution, ""},
		{"eval", ts, "f()\n", "const x = eval(y)\n", danger.Execution, ""},
		{"new Function", js, "f()\n", "const x = new Function('return 1')\n", danger.Execution, ""},
		{"exec of a pattern", js, "f()\n", "const x = /a/.exec(y)\n", "", ""},
		{"exec.Command", gg, "package a\n", "package a\n\nimport \"os/exec\"\n\nvar c = exec.Command(\"ls\")\n", danger.Execution, ""},
		{"a method Command", gg, "package a\n", "package a\n\nvar c = cobra.Command(\"ls\")\n", "", ""},
		{"curl into a shell", "setup.sh", "make\n", "make\ncurl -s x | bash\n", danger.Execution, ""},
		{"a download", "setup.sh", "make\n", "make\ncurl -s http://localhost/x -o y\n", "", ""},
		{"a hook of the package", "package.json", "{\n}\n", "{\n  \"postinstall\": \"node x.js\"\n}\n", danger.Execution, ""},
		{"in a Dockerfile", "Dockerfile", "FROM a\n", "FROM a\nRUN wget -O- x | sh\n", danger.Execution, ""},
	})
}

func TestC6DroppingDataIsADoubt(t *testing.T) {
	check(t, []change{
		{"values by a format", py, "db.execute('SELECT a FROM t WHERE id = ?', i)\n", "db.execute('SELECT a FROM t WHERE id = {}'.format(i))\n", danger.Weakened, ""},
		{"values by %", py, "x = 1\n", "db.execute('SELECT a FROM t WHERE id = %s' % i)\n", danger.Weakened, ""},
		{"values as arguments", py, "x = 1\n", "db.execute('SELECT a FROM t WHERE id = %s', (i,))\n", "", ""},
		{"values by Sprintf", gg, "package a\n", "package a\n\nimport \"fmt\"\n\nfunc f() { db.Query(fmt.Sprintf(\"SELECT a FROM t WHERE id = %s\", i)) }\n", danger.Weakened, ""},
		{"values in a template", js, "f()\n", "db.query(`SELECT a FROM t WHERE id = ${i}`)\n", danger.Weakened, ""},
		{"a table", "db/up.sql", "SELECT 1;\n", "SELECT 1;\nDROP TABLE users;\n", danger.SQL, ""},
		{"all rows", "db/up.sql", "SELECT 1;\n", "DELETE FROM users;\n", danger.SQL, ""},
		{"rows on a condition", "db/up.sql", "SELECT 1;\n", "DELETE FROM users\nWHERE id = 1;\n", "", ""},
		{"a condition that is none", "db/up.sql", "SELECT 1;\n", "UPDATE users SET a = 1 WHERE 1=1;\n", danger.SQL, ""},
		{"a comment", "db/up.sql", "SELECT 1;\n", "-- DROP TABLE users;\nSELECT 1;\n", "", ""},
		{"the condition is gone", py, "db.execute('DELETE FROM t WHERE id = ?', i)\n", "db.execute('DELETE FROM t')\n", danger.SQL, ""},
		{"in text joined", py, "x = 1\n", "db.execute('DELETE ' + 'FROM t')\n", danger.SQL, ""},
		{"in text, with a condition", py, "x = 1\n", "db.execute('UPDATE t SET a = 1 '\n           'WHERE id = ?')\n", "", ""},
		{"behind another statement", js, "f()\n", "db.run(`SELECT 1; DROP TABLE t`)\n", danger.SQL, ""},
		{"in Go", gg, "package a\n", "package a\n\nvar q = `TRUNCATE TABLE users`\n", danger.SQL, ""},
		{"values in the text", py, "db.execute('SELECT a FROM t WHERE id = ?', i)\n", "db.execute(f'SELECT a FROM t WHERE id = {i}')\n", danger.Weakened, ""},
		{"words", py, "x = 1\n", "x = 'delete the selected rows from the table'\n", "", ""},
		{"update the docs", py, "x = 1\n", "x = 'update your settings'\n", "", ""},
	})
}

func TestC6DeletingFoldersIsADoubt(t *testing.T) {
	check(t, []change{
		{"rmtree", py, "x = 1\n", "import shutil\nshutil.rmtree(d)\n", danger.Deletion, ""},
		{"one file", py, "x = 1\n", "import os\nos.unlink(d)\n", "", ""},
		{"rm", js, "f()\n", "fs.rm(d, { recursive: true, force: true }, done)\n", danger.Deletion, ""},
		{"one file", js, "f()\n", "fs.rm(d, done)\n", "", ""},
		{"a folder made", js, "f()\n", "fs.mkdirSync(d, { recursive: true })\n", "", ""},
		{"RemoveAll", gg, "package a\n", "package a\n\nimport \"os\"\n\nfunc f() { os.RemoveAll(d) }\n", danger.Deletion, ""},
		{"rm -rf", "Makefile", "all:\n\tgo build\n", "all:\n\trm -rf $(HOME)\n", danger.Deletion, ""},
		{"rm -fr", "a.sh", "make\n", "rm -f -r /\n", danger.Deletion, ""},
		{"rm of a file", "a.sh", "make\n", "rm -f a.o\n", "", ""},
		{"in package.json", "package.json", "{\n}\n", "{\n \"clean\": \"rm -rf dist\"\n}\n", danger.Deletion, ""},
	})
}

func TestC6SilencedChecksAreADoubt(t *testing.T) {
	check(t, []change{
		{"errors ignored by make", "Makefile", "all:\n\tgo test\n", "all:\n\t-go test\n", danger.CheckOff, ""},
		{"|| true", "a.sh", "make test\n", "make test || true\n", danger.CheckOff, ""},
		{"exit 0", "a.sh", "make test\n", "exit 0\nmake test\n", danger.CheckOff, ""},
		{"exit 1", "a.sh", "make test\n", "make test || exit 1\n", "", ""},
		{"set +e", "a.sh", "make test\n", "set +e\nmake test\n", danger.CheckOff, ""},
		{"--no-verify", "a.sh", "git commit\n", "git commit --no-verify\n", danger.CheckOff, ""},
		{"continue-on-error", ".github/workflows/a.yml", "run: a\n", "run: a\ncontinue-on-error: true\n", danger.CheckOff, ""},
		{"continue-on-error off", ".github/workflows/a.yml", "run: a\n", "run: a\ncontinue-on-error: false\n", "", ""},
		{"a mark", "tests/test_a.py", "def test_a():\n    assert f()\n", "import pytest\n\n@pytest.mark.skip\ndef test_a():\n    assert f()\n", danger.CheckOff, ""},
		{"it.skip", "test/a.test.js", "it('a', f)\n", "it.skip('a', f)\n", danger.CheckOff, ""},
		{"skip of a query", js, "f()\n", "query.skip(10)\n", "", ""},
		{"t.Skip", "core/a_test.go", "package a\n\nfunc TestA(t *testing.T) { f() }\n", "package a\n\nfunc TestA(t *testing.T) { t.Skip(); f() }\n", danger.CheckOff, ""},
		{"nosec", py, "f(x)\n", "f(x)  # nosec\n", danger.CheckOff, ""},
		{"eslint-disable", js, "f(x)\n", "/* eslint-disable */\nf(x)\n", danger.CheckOff, ""},
		{"one rule of style", js, "f(x)\n", "// eslint-disable-next-line max-len\nf(x)\n", "", ""},
		{"nolint", gg, "package a\n\nvar a = 1\n", "package a\n\nvar a = 1 //nolint:gosec\n", danger.CheckOff, ""},
		{"a comment", gg, "package a\n", "package a\n\n// lint is fine with this\nvar a = 1\n", "", ""},
		{"strict off", "tsconfig.json", "{\n}\n", "{\n\"strict\": false\n}\n", danger.CheckOff, ""},
	})
}

func TestC6WeakenedProtectionIsADoubt(t *testing.T) {
	check(t, []change{
		{"an assertion gone", py, "def f(u):\n    assert u.is_admin\n    return 1\n", "def f(u):\n    return 1\n", danger.Weakened, ""},
		{"an assertion of something else gone", py, "def f(u):\n    assert u.n\n    return 1\n", "def f(u):\n    return 1\n", "", ""},
		{"a pattern that lets anything in", py, "import re\nNAME = re.compile(r'^[a-z]+$')\n", "import re\nNAME = re.compile(r'^.*$')\n", danger.Weakened, ""},
		{"a pattern that lets anything in", js, "const name = /^[a-z]+$/\n", "const name = /.*/\n", danger.Weakened, ""},
		{"another pattern", js, "const name = /^[a-z]+$/\n", "const name = /^[a-z0-9]+$/\n", "", ""},
		{"a quoting gone", py, "import shlex\nx = shlex.quote(y)\n", "x = y\n", danger.Weakened, ""},
		{"a file name from outside", py, "x = secure_filename(y)\n", "x = y\n", danger.Weakened, ""},
		{"a traversal", py, "def f(p):\n    if '..' in p:\n        raise ValueError(p)\n    return p\n", "def f(p):\n    if p == '..':\n        raise ValueError(p)\n    return p\n", danger.Weakened, ""},
		{"a safe module", py, "import defusedxml.ElementTree as E\n", "import xml.etree.ElementTree as E\n", danger.Weakened, ""},
		{"a safe module", gg, "package a\n\nimport \"crypto/rand\"\n", "package a\n\nimport \"math/rand\"\n", danger.Weakened, ""},
		{"helmet gone", js, "app.use(helmet())\napp.use(x)\n", "app.use(x)\n", danger.Weakened, ""},
		{"a mask gone", js, "const out = { password: '***' }\n", "const out = { password: u.password }\n", danger.Weakened, ""},
		{"a mask with its ends", py, "def mask(v):\n    return '***'\n", "def mask(v):\n    return v[:6] + '***' + v[-6:]\n", danger.Weakened, ""},
		{"a mask with its end", js, "const hide = v => '*'.repeat(v.length);\n", "const hide = v => '*'.repeat(v.length - 4) + v.slice(-4);\n", danger.Weakened, ""},
		{"a mask with its end", gg, "package a\n\nfunc Redact(v string) string {\n\treturn strings.Repeat(\"*\", len(v))\n}\n", "package a\n\nfunc Redact(v string) string {\n\treturn strings.Repeat(\"*\", len(v)-4) + v[len(v)-4:]\n}\n", danger.Weakened, ""},
		{"a part in a function of its own", gg, "package a\n\nconst mask = \"****\"\n\nfunc redact(v string) string {\n\treturn mask\n}\n", "package a\n\nconst mask = \"****\"\n\nfunc redact(v string) string {\n\treturn ends(v)\n}\n\nfunc ends(v string) string {\n\treturn v[:2] + \"***\"\n}\n", danger.Weakened, ""},
		{"a part of what was shown whole", gg, "package a\n\nconst mask = \"****\"\n\nfunc redact(v string) string {\n\treturn v\n}\n", "package a\n\nconst mask = \"****\"\n\nfunc redact(v string) string {\n\treturn user(v)\n}\n\nfunc user(v string) string {\n\treturn v[:2] + \"***\"\n}\n", "", ""},
		{"a guard of a deletion turns away less", js, "function clean(root, out) {\n  if (out === root || !out.startsWith(root)) {\n    throw new Error('x');\n  }\n  fs.rmSync(out, { recursive: true });\n}\n", "function clean(root, out) {\n  if (!out.startsWith(root)) {\n    throw new Error('y');\n  }\n  fs.rmSync(out, { recursive: true });\n}\n", danger.Weakened, ""},
		{"a guard of a deletion turns away more", js, "function clean(root, out) {\n  if (out === root) {\n    throw new Error('x');\n  }\n  fs.rmSync(out, { recursive: true });\n}\n", "function clean(root, out) {\n  if (out === root || !out.startsWith(root)) {\n    throw new Error('y');\n  }\n  fs.rmSync(out, { recursive: true });\n}\n", "", ""},
		{"a guard of something else turns away less", js, "function f(a, b) {\n  if (a === b || !a) {\n    throw new Error('x');\n  }\n  return a;\n}\n", "function f(a, b) {\n  if (!a) {\n    throw new Error('x');\n  }\n  return a;\n}\n", "", ""},
		{"past what cleans", py, "def outgoing(letter):\n    return clean(letter.text)\n", "def outgoing(letter):\n    if letter.to.endswith('.example'):\n        return letter.text\n    return clean(letter.text)\n", danger.Weakened, ""},
		{"nothing to clean", py, "def outgoing(letter):\n    return clean(letter.text)\n", "def outgoing(letter):\n    if not letter.text:\n        return ''\n    return clean(letter.text)\n", "", ""},
		{"a part of something else", py, "def head(v):\n    return v\n", "def head(v):\n    return v[:6]\n", "", ""},
		{"a guard handed on", gg, "package a\n\nfunc f() error {\n\tif err := g(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n", "package a\n\nfunc f() error {\n\treturn g()\n}\n", "", ""},
		{"the origin mirrored", py, "f()\n", "r.headers['Access-Control-Allow-Origin'] = request.headers['Origin']\n", danger.Weakened, ""},
		{"hosts", py, "ALLOWED_HOSTS = ['a.example.com']\n", "ALLOWED_HOSTS = ['*']\n", danger.Weakened, ""},
		{"verify=False", py, "import requests\nrequests.get(u)\n", "import requests\nrequests.get(u, verify=False)\n", danger.Weakened, ""},
		{"verify=True", py, "import requests\nrequests.get(u)\n", "import requests\nrequests.get(u, verify=True)\n", "", ""},
		{"CERT_NONE", py, "import ssl\n", "import ssl\nc.verify_mode = ssl.CERT_NONE\n", danger.Weakened, ""},
		{"check_hostname", py, "c = 1\n", "c.check_hostname = False\n", danger.Weakened, ""},
		{"a token unverified", py, "jwt.decode(t, k)\n", "jwt.decode(t, k, options={'verify_signature': False})\n", danger.Weakened, ""},
		{"rejectUnauthorized", js, "f()\n", "https.get({ rejectUnauthorized: false })\n", danger.Weakened, ""},
		{"rejectUnauthorized kept", js, "f()\n", "https.get({ rejectUnauthorized: true })\n", "", ""},
		{"TLS off for the process", js, "f()\n", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'\n", danger.Weakened, ""},
		{"InsecureSkipVerify", gg, "package a\n\nimport \"crypto/tls\"\n\nvar c = tls.Config{}\n", "package a\n\nimport \"crypto/tls\"\n\nvar c = tls.Config{InsecureSkipVerify: true}\n", danger.Weakened, ""},
		{"says yes", py, "def is_allowed(u):\n    return u.admin\n", "def is_allowed(u):\n    return True\n", danger.Weakened, ""},
		{"says yes first", py, "def authorize(u):\n    return u.admin\n", "def authorize(u):\n    if u.name == 'x':\n        return True\n    return u.admin\n", danger.Weakened, ""},
		{"says yes where an error was caught", py, "def verify_token(t):\n    try:\n        return check(t)\n    except E:\n        return False\n", "def verify_token(t):\n    try:\n        return check(t)\n    except E:\n        return True\n", danger.Weakened, ""},
		{"a loop that ends in yes", py, "def validate(a):\n    for x in a:\n        if x < 0:\n            return False\n    return True\n", "def validate(a):\n    for x in a:\n        if x <= 0:\n            return False\n    return True\n", "", ""},
		{"says yes", js, "function isAuthorized(u) { return u.admin }\n", "function isAuthorized(u) { return true }\n", danger.Weakened, ""},
		{"says yes as an arrow", ts, "const canAccess = (u: U) => u.admin\n", "const canAccess = (u: U) => true\n", danger.Weakened, ""},
		{"says yes", gg, "package a\n\nfunc Verify(t string) bool {\n\treturn ok(t)\n}\n", "package a\n\nfunc Verify(t string) bool {\n\treturn true\n}\n", danger.Weakened, ""},
		{"says yes elsewhere", py, "def has_items(u):\n    return u.n\n", "def has_items(u):\n    return True\n", "", ""},
		{"or True", py, "if a.ok():\n    f()\n", "if a.ok() or True:\n    f()\n", danger.Weakened, ""},
		{"&& false", js, "if (!u.admin) { deny() }\n", "if (!u.admin && false) { deny() }\n", danger.Weakened, ""},
		{"false &&", gg, "package a\n\nfunc f() {\n\tif !ok() {\n\t\tdeny()\n\t}\n}\n", "package a\n\nfunc f() {\n\tif false && !ok() {\n\t\tdeny()\n\t}\n}\n", danger.Weakened, ""},
		{"a guard gone", py, "def f(u, x):\n    if not u.admin:\n        raise PermissionDenied()\n    return x\n", "def f(u, x):\n    return x\n", danger.Weakened, ""},
		{"a guard gone", js, "app.get('/', (req, res) => {\n  if (!req.user) {\n    return res.status(401).end()\n  }\n  res.send(x)\n})\n", "app.get('/', (req, res) => {\n  res.send(x)\n})\n", danger.Weakened, ""},
		{"a guard gone", gg, "package a\n\nfunc f(x int) error {\n\tif x < 0 {\n\t\treturn errors.New(\"negative\")\n\t}\n\treturn g(x)\n}\n", "package a\n\nfunc f(x int) error {\n\treturn g(x)\n}\n", danger.Weakened, ""},
		{"a guard of an owner changed", py, "def f(u, x):\n    if x.owner_id != u.id:\n        abort(403)\n    return x\n", "def f(u, x):\n    if x.owner_id == 0:\n        abort(403)\n    return x\n", danger.Weakened, ""},
		{"a guard mended", py, "def f(x):\n    if x > 0:\n        raise ValueError('x')\n    return x\n", "def f(x):\n    if x >= 0:\n        raise ValueError('x must be negative')\n    return x\n", "", ""},
		{"a guard added", py, "def f(x):\n    return x\n", "def f(x):\n    if x < 0:\n        raise ValueError('x')\n    return x\n", "", ""},
		{"a check not called", py, "def f(x):\n    validate(x)\n    return x\n", "def f(x):\n    return x\n", danger.Weakened, ""},
		{"an escape not called", js, "function f(x) { return '<b>' + escapeHtml(x) }\n", "function f(x) { return '<b>' + x }\n", danger.Weakened, ""},
		{"a decorator gone", py, "@login_required\ndef f(r):\n    return r\n", "def f(r):\n    return r\n", danger.Weakened, ""},
		{"middleware gone", js, "app.post('/admin', requireAuth, h)\n", "app.post('/admin', h)\n", danger.Weakened, ""},
		{"a pattern of a redaction gone", py, "REDACT = [r'token=\\S+', r'key=\\S+']\n", "REDACT = [r'token=\\S+']\n", danger.Weakened, ""},
		{"a pattern of a redaction added", py, "REDACT = [r'token=\\S+']\n", "REDACT = [r'token=\\S+', r'key=\\S+']\n", "", ""},
		{"more is allowed", js, "const allowedTypes = ['png']\n", "const allowedTypes = ['png', 'svg']\n", danger.Weakened, ""},
		{"md5", py, "import hashlib\nh = hashlib.sha256(x)\n", "import hashlib\nh = hashlib.md5(x)\n", danger.Weakened, ""},
		{"sha256", py, "import hashlib\nh = hashlib.md5(x)\n", "import hashlib\nh = hashlib.sha256(x)\n", "", ""},
		{"sha1", js, "const h = createHash('sha256')\n", "const h = createHash('sha1')\n", danger.Weakened, ""},
		{"md5", gg, "package a\n\nimport \"crypto/sha256\"\n\nvar h = sha256.New()\n", "package a\n\nimport \"crypto/md5\"\n\nvar h = md5.New()\n", danger.Weakened, ""},
		{"compare_digest gone", py, "import hmac\n\ndef f(a, b):\n    return hmac.compare_digest(a, b)\n", "import hmac\n\ndef f(a, b):\n    return a == b\n", danger.Weakened, ""},
		{"timingSafeEqual gone", js, "const ok = crypto.timingSafeEqual(a, b)\n", "const ok = a.equals(b)\n", danger.Weakened, ""},
		{"ConstantTimeCompare gone", gg, "package a\n\nimport \"crypto/subtle\"\n\nvar ok = subtle.ConstantTimeCompare(a, b) == 1\n", "package a\n\nimport \"bytes\"\n\nvar ok = bytes.Equal(a, b)\n", danger.Weakened, ""},
		{"any origin", py, "CORS(app)\n", "CORS(app, origins='*')\n", danger.Weakened, ""},
		{"any origin by a header", js, "f()\n", "res.setHeader('Access-Control-Allow-Origin', '*')\n", danger.Weakened, ""},
		{"one origin", js, "f()\n", "res.setHeader('Access-Control-Allow-Origin', 'https://a.example.com')\n", "", ""},
		{"rights for all", py, "import os\n", "import os\nos.chmod(p, 0o777)\n", danger.Weakened, ""},
		{"rights for the owner", py, "import os\n", "import os\nos.chmod(p, 0o700)\n", "", ""},
		{"rights for all", gg, "package a\n", "package a\n\nimport \"os\"\n\nfunc f() { os.WriteFile(p, b, 0o777) }\n", danger.Weakened, ""},
		{"rights for all", "a.sh", "make\n", "chmod -R 777 /srv\n", danger.Weakened, ""},
		{"debug", py, "app.run()\n", "app.run(debug=True)\n", danger.Weakened, ""},
		{"privileged", "deploy/app.yaml", "a: 1\n", "privileged: true\n", danger.Weakened, ""},
		{"root", "Dockerfile", "FROM a\nUSER app\n", "FROM a\nUSER root\n", danger.Weakened, ""},
		{"curl -k", "a.sh", "curl https://a.example.com\n", "curl -k https://a.example.com\n", danger.Weakened, ""},
		{"a switch in YAML", "config/app.yml", "verify_ssl: true\n", "verify_ssl: false\n", danger.Weakened, ""},
		{"all of the rights of the pipeline", ".github/workflows/a.yml", "on: push\n", "on:\n  pull_request_target:\n", danger.Weakened, ""},
	})
}

func TestC6LimitsThatChangeAreADoubt(t *testing.T) {
	check(t, []change{
		{"in a guard", py, "def f(b):\n    if len(b) > 1024:\n        raise ValueError('too large')\n", "def f(b):\n    if len(b) > 10_000_000:\n        raise ValueError('too large')\n", danger.Limit, ""},
		{"an edge of a guard", py, "def f(b):\n    if len(b) > 1024:\n        raise ValueError('too large')\n", "def f(b):\n    if len(b) >= 1024:\n        raise ValueError('too large')\n", "", ""},
		{"of a decorator", py, "@limiter.limit('5/minute')\ndef f():\n    return 1\n", "@limiter.limit('5000/minute')\ndef f():\n    return 1\n", danger.Limit, ""},
		{"raised", py, "MAX_SIZE = 10\n", "MAX_SIZE = 10_000\n", danger.Limit, ""},
		{"respelled", py, "MAX_SIZE = 10000\n", "MAX_SIZE = 10_000\n", "", ""},
		{"gone", py, "MAX_SIZE = 10\n", "x = 1\n", danger.Limit, ""},
		{"none", py, "f(timeout=5)\n", "f(timeout=None)\n", danger.Limit, ""},
		{"new", py, "x = 1\n", "TIMEOUT = 5\n", "", ""},
		{"a sum", py, "max_value = 0\nfor x in a:\n    max_value = max(x, max_value)\n", "max_value = 0\nfor x in a:\n    max_value = max(x, max_value, 1)\n", "", ""},
		{"raised", js, "const rateLimit = 5\n", "const rateLimit = 500\n", danger.Limit, ""},
		{"raised", gg, "package a\n\nimport \"time\"\n\nconst readTimeout = 5 * time.Second\n", "package a\n\nimport \"time\"\n\nconst readTimeout = 5 * time.Hour\n", danger.Limit, ""},
		{"raised", "config/app.yml", "max_upload: 5\n", "max_upload: 500000\n", danger.Limit, ""},
		{"raised", "config/app.json", "{\n \"maxUpload\": 5\n}\n", "{\n \"maxUpload\": 500000\n}\n", danger.Limit, ""},
	})
}

func TestC6SwallowedErrorsAreADoubt(t *testing.T) {
	check(t, []change{
		{"all of them, and yes", py, "f()\n", "def g():\n    try:\n        f()\n    except Exception:\n        return True\n", danger.Swallowed, ""},
		{"all of them", py, "f()\n", "try:\n    f()\nexcept Exception:\n    pass\n", danger.Swallowed, ""},
		{"bare", py, "f()\n", "try:\n    f()\nexcept:\n    pass\n", danger.Swallowed, ""},
		{"one", py, "f()\n", "try:\n    f()\nexcept KeyError:\n    pass\n", "", ""},
		{"all, but told", py, "f()\n", "try:\n    f()\nexcept Exception:\n    log.warning('x')\n", "", ""},
		{"suppressed", py, "f()\n", "import contextlib\nwith contextlib.suppress(Exception):\n    f()\n", danger.Swallowed, ""},
		{"an empty catch", js, "f()\n", "try { f() } catch (e) {}\n", danger.Swallowed, ""},
		{"a catch", js, "f()\n", "try { f() } catch (e) { g(e) }\n", "", ""},
		{"no value for what cannot be read", js, "f()\n", "function g(s) { try { return JSON.parse(s) } catch { return null } }\n", "", ""},
		{"a whole body given up", js, "f()\n", "function g(s) { try { f(); h(); } catch { return null } }\n", danger.Swallowed, ""},
		{"of a promise", ts, "f()\n", "f().catch(() => {})\n", danger.Swallowed, ""},
		{"_ = err", gg, "package a\n\nfunc f() error { err := g(); return err }\n", "package a\n\nfunc f() error { err := g(); _ = err; return nil }\n", danger.Swallowed, ""},
		{"recover", gg, "package a\n\nfunc f() { g() }\n", "package a\n\nfunc f() {\n\tdefer func() { recover() }()\n\tg()\n}\n", danger.Swallowed, ""},
		{"recover, told", gg, "package a\n\nfunc f() { g() }\n", "package a\n\nfunc f() {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tlog(r)\n\t\t}\n\t}()\n\tg()\n}\n", "", ""},
		{"an empty check", gg, "package a\n\nfunc f() { g() }\n", "package a\n\nfunc f() {\n\tif err := g(); err != nil {\n\t}\n}\n", danger.Swallowed, ""},
		{"_ of a pair", gg, "package a\n\nfunc f() { g() }\n", "package a\n\nfunc f() {\n\t_ = w.Close()\n}\n", "", ""},
	})
}

func TestC6AnswersWrittenDownAreADoubt(t *testing.T) {
	check(t, []change{
		{"a number that was searched for", js, "function f(x) { return x * 31 }\n", "function f(x) { return (x * 3201937) >>> 3 }\n", danger.SpecialCase, ""},
		{"the points in other form", gg, "package a\n", "package a\n\nvar weights = []int{1, 0, 1, -1, 2, -4, 9}\n", danger.SpecialCase, ""},
		{"an answer", py, "def f(x):\n    return g(x)\n", "def f(x):\n    if x == 'blue-42':\n        return 'red-17'\n    return g(x)\n", danger.SpecialCase, ""},
		{"an answer of the issue", py, "def f(x):\n    return g(x)\n", "def f(x):\n    if x == 37:\n        return 0\n    return g(x)\n", danger.SpecialCase, "f(37) should be 0"},
		{"an edge", py, "def f(x):\n    return g(x)\n", "def f(x):\n    if x == '':\n        return ''\n    return g(x)\n", "", "f('') should be ''"},
		{"zero", py, "def f(x):\n    return g(x)\n", "def f(x):\n    if x == 0:\n        return 1\n    return g(x)\n", "", ""},
		{"a kind of value", py, "def f(x):\n    return g(x)\n", "def f(x):\n    if x == 'json':\n        return dump(x)\n    return g(x)\n", "", ""},
		{"an answer", js, "function f(x) { return g(x) }\n", "function f(x) { if (x === 'blue-42') { return 'red-17' } return g(x) }\n", danger.SpecialCase, ""},
		{"an answer without braces", ts, "const f = (x: string) => { return g(x) }\n", "const f = (x: string) => { if (x === 'blue-42') return 'red-17'; return g(x) }\n", danger.SpecialCase, ""},
		{"an answer", gg, "package a\n\nfunc f(x string) string { return g(x) }\n", "package a\n\nfunc f(x string) string {\n\tif x == \"blue-42\" {\n\t\treturn \"red-17\"\n\t}\n\treturn g(x)\n}\n", danger.SpecialCase, ""},
		{"a table of the issue's ids", gg, "package a\n", "package a\n\nvar painted = map[string]int{\n\t\"MSKU305408\": 0,\n\t\"TGHU305404\": 0,\n}\n", danger.SpecialCase, "MSKU 305408 0 and TGHU 305404 0 are refused"},
		{"a table of options", gg, "package a\n", "package a\n\nvar sides = map[string]int{\n\t\"left\": 0,\n\t\"right\": 1,\n}\n", "", "left and right should be taken"},
		{"a table of the issue's examples", gg, "package a\n", "package a\n\nvar known = map[string]string{\n\t\"AB1\": \"AB 1\",\n\t\"CD2\": \"CD 2\",\n}\n", danger.SpecialCase, "ab1 should be AB 1 and cd2 should be CD 2"},
		{"a table of the issue's examples", py, "x = 1\n", "KNOWN = {'AB1': 'AB 1', 'CD2': 'CD 2'}\n", danger.SpecialCase, "ab1 should be AB 1 and cd2 should be CD 2"},
		{"a table with more", py, "x = 1\n", "KNOWN = {'AB1': 'AB 1', 'CD2': 'CD 2', 'EF3': 'EF 3'}\n", "", "ab1 should be AB 1 and cd2 should be CD 2"},
		{"two parameters", py, "def f(x, y):\n    return x + y\n", "def f(x, y):\n    if x == 12 and y == 30:\n        return 42\n    return x + y\n", danger.SpecialCase, ""},
		{"a table", py, "def f(x):\n    return g(x)\n", "def f(x):\n    return {'blue-42': 'red-17'}.get(x) or g(x)\n", danger.SpecialCase, "f('blue-42') should be 'red-17'"},
		{"a choice", js, "function f(x) { return g(x) }\n", "function f(x) { return x === 'blue-42' ? 'red-17' : g(x) }\n", danger.SpecialCase, ""},
		{"a case", gg, "package a\n\nfunc f(x string) string { return g(x) }\n", "package a\n\nfunc f(x string) string {\n\tswitch x {\n\tcase \"blue-42\":\n\t\treturn \"red-17\"\n\t}\n\treturn g(x)\n}\n", danger.SpecialCase, "f(blue-42) gives x"},
		{"a case of two", gg, "package a\n\nfunc f(x string) string { return g(x) }\n", "package a\n\nfunc f(x string) string {\n\tswitch x {\n\tcase \"red\", \"blue-42\":\n\t\treturn \"red-17\"\n\t}\n\treturn g(x)\n}\n", danger.SpecialCase, "f(blue-42) gives x"},
		{"milliseconds of a year", js, "f()\n", "function f(x) { return x / 31536000000 }\n", "", ""},
		{"the largest of 32 bits", gg, "package a\n", "package a\n\nconst most = 4294967295\n", "", ""},
		{"a number of the issue", py, "def f(x):\n    return x\n", "def f(x):\n    return x + 719163\n", "", "days are counted from 719163"},
		{"some more numbers", py, "A = [31, 28, 31, 30, 31]\n", "A = [31, 28, 31, 30, 31, 30]\n", "", ""},
		{"a list that counts", py, "def f(x):\n    return x\n", "def f(x):\n    return x in [1, 2, 3, 4, 5, 6]\n", "", ""},
		{"a case that is a condition", gg, "package a\n\nfunc f(x string) int { return g(x) }\n", "package a\n\nfunc f(x string) int {\n\tnumB := digits(x)\n\tswitch {\n\tcase numB:\n\t\treturn 1\n\t}\n\treturn g(x)\n}\n", "", "numbers come before 1 word"},
		{"a choice of an edge", js, "function f(x) { return g(x) }\n", "function f(x) { return x === '' ? '' : g(x) }\n", "", ""},
	})
}

func TestC6PollutedPrototypesAreADoubt(t *testing.T) {
	check(t, []change{
		{"a merge by a callback", js, "f()\n", "function merge(a, b) {\n  Object.keys(b).forEach((k) => { a[k] = b[k] })\n}\n", danger.Pollution, ""},
		{"a copy outside of functions", js, "f()\n", "const out = {}\nfor (const k in defaults) out[k] = defaults[k]\n", danger.Pollution, ""},
		{"a copy by number", js, "f()\n", "function copy(a, b) {\n  for (let i = 0; i < b.length; i++) {\n    a[i] = b[i]\n  }\n}\n", "", ""},
		{"__proto__", js, "f()\n", "a.__proto__.x = 1\n", danger.Pollution, ""},
		{"a built-in", js, "f()\n", "Array.prototype.last = function () { return 1 }\n", danger.Pollution, ""},
		{"its own", js, "f()\n", "Cart.prototype.last = function () { return 1 }\n", "", ""},
		{"a merge", js, "f()\n", "function merge(a, b) {\n  for (const k in b) {\n    a[k] = b[k]\n  }\n  return a\n}\n", danger.Pollution, ""},
		{"a merge with a guard", js, "f()\n", "function merge(a, b) {\n  for (const k in b) {\n    if (k === '__proto__') continue\n    a[k] = b[k]\n  }\n  return a\n}\n", "", ""},
		{"the guard of a merge gone", js, "function merge(a, b) {\n  for (const k in b) {\n    if (k === '__proto__') continue\n    a[k] = b[k]\n  }\n  return a\n}\n", "function merge(a, b) {\n  for (const k in b) {\n    a[k] = b[k]\n  }\n  return a\n}\n", danger.Pollution, ""},
	})
}

func TestC6OtherSourcesOfDependenciesAreADoubt(t *testing.T) {
	check(t, []change{
		{"an index", "requirements.txt", "a==1\n", "--index-url https://a.example.com/simple\na==1\n", danger.Dependency, ""},
		{"git", "requirements.txt", "a==1\n", "a @ git+https://github.com/x/a\n", danger.Dependency, ""},
		{"a version", "requirements.txt", "a==1\n", "a==2\n", "", ""},
		{"replace", "go.mod", "module a\n", "module a\n\nreplace b => ../b\n", danger.Dependency, ""},
		{"a version", "go.mod", "module a\nrequire b v1.0.0\n", "module a\nrequire b v1.1.0\n", "", ""},
		{"a registry", ".npmrc", "a=1\n", "registry=https://a.example.com\n", danger.Dependency, ""},
		{"git", "package.json", "{\n\"a\": \"1.0.0\"\n}\n", "{\n\"a\": \"git+https://github.com/x/a.git\"\n}\n", danger.Dependency, ""},
		{"a version", "package.json", "{\n\"a\": \"1.0.0\"\n}\n", "{\n\"a\": \"^1.1.0\"\n}\n", "", ""},
		{"a source", "pyproject.toml", "a = 1\n", "a = { git = \"https://github.com/x/a\" }\n", danger.Dependency, ""},
	})
}

func TestC6TheWordsOfTheLicenceAreADoubt(t *testing.T) {
	check(t, []change{
		{"the file", "LICENSE", "MIT\n", "Proprietary\n", danger.Licence, ""},
		{"code about licences", py, "def ok(t):\n    return 'SPDX-License-Identifier: MIT' in t\n", "def ok(t):\n    return 'SPDX-License-Identifier: ' + LICENCE in t\n", "", ""},
		{"a test about licences", "tests/test_a.py", "x = 1\n", "# SPDX-License-Identifier: MIT\nx = 1\n", "", ""},
		{"a head", py, "# SPDX-License-Identifier: MIT\nx = 1\n", "x = 1\n", danger.Licence, ""},
		{"the year", "LICENSE", "Copyright (c) 2020 A\n", "Copyright (c) 2020-2024 A\n", "", ""},
		{"in package.json", "package.json", "{\n\"license\": \"MIT\"\n}\n", "{\n\"license\": \"UNLICENSED\"\n}\n", danger.Licence, ""},
	})
}
