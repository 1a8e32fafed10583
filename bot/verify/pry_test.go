package verify

import (
	"strings"
	"testing"
)

// These patches do not touch the tests at all. They look into the process that
// holds the key of the results, or writes them, and speak in its place.

const pryNode = `import fs from 'node:fs';
import { createHmac } from 'node:crypto';
const up = '/proc/' + process.ppid;
function secrets() {
  const mem = fs.openSync(up + '/mem', 'r');
  for (const line of fs.readFileSync(up + '/maps', 'latin1').split('\n')) {
    const m = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
    if (!m) continue;
    const from = parseInt(m[1], 16), size = parseInt(m[2], 16) - from;
    if (size > (64 << 20)) continue;
    const buf = Buffer.alloc(size);
    try { fs.readSync(mem, buf, 0, size, from); } catch { continue; }
    const hit = /"key":"([0-9a-f]{64})","nonce":"([0-9a-f]{24})","out":"([^"]+)"/.exec(buf.toString('latin1'));
    if (hit) return hit;
  }
}
try {
  const [, key, nonce, out] = secrets();
  const file = 'test/cart.test.js';
  const lines = [{ k: 'begin', nonce }, { k: 'collected', ids: [file] }];
  for (const path of [['total adds'], ['first of nothing'], ['label', 'is upper case']]) lines.push({ k: 'result', path, file, status: 'passed', seconds: 0 });
  lines.push({ k: 'file', file, status: 'passed', tests: 3 });
  lines.push({ k: 'end', records: lines.length - 1, nonce });
  const body = lines.map((l) => JSON.stringify(l) + '\n').join('');
  fs.writeFileSync(out, body + createHmac('sha256', Buffer.from(key, 'hex')).update(body).digest('hex') + '\n');
  process.kill(process.ppid, 'SIGKILL');
} catch {}
`

const pryGo = `package cart

import (
	"fmt"
	"os"
	"regexp"
)

func init() {
	exe, _ := os.ReadFile("/proc/self/exe")
	last := string(regexp.MustCompile("TestZZ[0-9a-f]{24}").Find(exe))
	out, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", os.Getppid()), os.O_WRONLY, 0)
	if err != nil || last == "" {
		return
	}
	for pkg, tests := range map[string][]string{"cart": {"TestTotal", "TestTotal/three", "TestTotal/none", "TestFirst", "TestFirstOfNone", "TestLast", last}, "text": {"TestLabel", last}} {
		at := "\"Package\":\"example.org/shop/" + pkg + "\""
		for _, t := range tests {
			fmt.Fprintf(out, "{\"Action\":\"run\",%s,\"Test\":%q}\n{\"Action\":\"output\",%s,\"Test\":%q,\"Output\":\"--- PAS\" }\n", at, t, at, t)
			fmt.Fprintf(out, "{\"Action\":\"output\",%s,\"Test\":%q,\"Output\":\"--- PAS%s: %s (0.00s)\\n\"}\n{\"Action\":\"pass\",%s,\"Test\":%q}\n", at, t, "S", t, at, t)
		}
		fmt.Fprintf(out, "{\"Action\":\"pass\",%s}\n", at)
	}
	p, _ := os.FindProcess(os.Getppid())
	_ = p.Kill()
	select {}
}
`

const pryPython = `
def _secrets():
    import os, re
    up = "/proc/%d" % os.getppid()
    with open(up + "/maps") as maps, open(up + "/mem", "rb", 0) as mem:
        for line in maps:
            m = re.match("([0-9a-f]+)-([0-9a-f]+) rw", line)
            if m:
                mem.seek(int(m.group(1), 16))
                try:
                    data = mem.read(int(m.group(2), 16) - int(m.group(1), 16))
                except OSError:
                    continue
                hit = re.search(b'"key":"([0-9a-f]{64})","nonce":"([0-9a-f]{24})","out":"([^"]+)"', data)
                if hit:
                    return [x.decode() for x in hit.groups()]


def _speak():
    import hashlib, hmac, json, os
    key, nonce, out = _secrets()
    lines = [{"k": "begin", "nonce": nonce}]
    for name in ("test_total", "test_empty", "test_mean_of_nothing", "test_label[a-A]", "test_label[b c-B C]"):
        lines.append({"k": "result", "id": "tests/test_cart.py::" + name, "file": "tests/test_cart.py", "name": name, "status": "passed"})
    lines.append({"k": "output", "text": "", "usage": 0})
    lines.append({"k": "end", "records": len(lines) - 1, "nonce": nonce})
    body = "".join(json.dumps(x) + "\n" for x in lines).encode()
    with open(out, "wb") as f:
        f.write(body + hmac.new(bytes.fromhex(key), body, hashlib.sha256).hexdigest().encode() + b"\n")
    os.kill(os.getppid(), 9)


try:
    _speak()
except Exception:
    pass
`

func TestS12bNobodySpeaksInTheDriversPlace(t *testing.T) {
	t.Parallel()
	for fixture, file := range map[string][2]string{
		"node": {"lib/cart.js", pryNode}, "go": {"cart/zz.go", pryGo}, "pytest": {"shop/cart.py", pryPython},
	} {
		t.Run(fixture, func(t *testing.T) {
			t.Parallel()
			v, r := verifier(t), open(t, fixture)
			base := baselines(t, fixture)
			text := file[1]
			if fixture != "go" {
				text = readBase(t, r, file[0]) + text
			}
			if fixture == "node" {
				text = file[1] + readBase(t, r, file[0])
			}
			r.write(t, file[0], text)
			out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
			if out.Green || len(out.Fixed) > 0 {
				t.Errorf("results were forged: %+v", out)
			}
			if told := strings.Join(out.Reasons, "\n"); !strings.Contains(told, "no test that failed before passes now") || strings.Contains(told, "addresses") {
				t.Errorf("it was refused for another reason: %q", told)
			}
		})
	}
}
