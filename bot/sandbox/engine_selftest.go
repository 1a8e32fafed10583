package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// engineTestScript looks from inside a container for every wall; it prints one
// line per fact.
const engineTestScript = `
exec 2>&1
echo "uid $(id -u)"
while read -r k v; do case $k in CapEff:|CapBnd:|CapAmb:|NoNewPrivs:|Seccomp:) echo "$k $v";; esac; done </proc/self/status
while read -r line; do echo "route $line"; done </proc/net/route
while read -r name rest; do echo "if $name"; done </proc/net/dev
cat "$1" 2>/dev/null && echo "file canary"
for d in / /usr /etc /bin /run /var /var/tmp; do ( : >"$d/.fettle" ) 2>/dev/null && echo "wrote $d"; done
[ "$(cat shared)" = "$2" ] && echo "shared ok"
for d in work out cache tmp; do ( : >"/$d/.fettle" ) && echo "$d ok"; done
echo done
`

// trial makes the workspace of a self-test, and in the host's folder dir a file
// that must not be seen from inside.
func (s *Sandbox) trial(ctx context.Context, dir string) (w *Workspace, canary string, err error) {
	canary = filepath.Join(dir, "canary")
	if err := os.WriteFile(canary, []byte("canary\n"), 0o644); err != nil {
		return nil, "", fmt.Errorf("sandbox: self-test: %w", err)
	}
	if w, err = s.Workspace(ctx, ""); err != nil {
		return nil, "", fmt.Errorf("sandbox: self-test: %w", err)
	}
	return w, canary, nil
}

// engineSelfTest tries the walls of a container with a harmless payload.
func (s *Sandbox) engineSelfTest(ctx context.Context, e *engine) error {
	w, canary, err := s.trial(ctx, e.dir)
	if err != nil {
		return err
	}
	defer w.Close()
	word := nonce()
	if err := w.WriteFile("shared", []byte(word)); err != nil {
		return fmt.Errorf("sandbox: self-test: %w", err)
	}
	r, err := w.Run(ctx, Command{Argv: []string{"/bin/sh", "-c", engineTestScript, "sh", canary, word}, Limits: Limits{Wall: time.Minute}})
	if err != nil {
		return fmt.Errorf("sandbox: self-test: %w", err)
	}
	if r.ExitCode == 127 && !strings.HasSuffix(string(r.Stdout), "done\n") {
		return fmt.Errorf("sandbox: self-test: the image has no shell or not the usual programs (id, cat): %.300s; %s", r.Stderr, howToImage)
	}
	uid, _, _ := strings.Cut(e.user, ":")
	faults := judgeEngine(string(r.Stdout), uid)
	if _, err := w.ReadOut(".fettle", 1); err != nil {
		faults = append(faults, "what it wrote to /out did not arrive")
	}
	if len(faults) == 0 {
		return nil
	}
	if strings.Contains(strings.Join(faults, " "), "shared") {
		return fmt.Errorf("sandbox: the engine does not see fettle's folder %s (%s): where it runs in a virtual machine or another container, set state_dir to a folder that both share", s.state, strings.Join(faults, "; "))
	}
	return errors.New("sandbox: the self-test of the engine found a wall missing (" + strings.Join(faults, "; ") + "); nothing of a repository was run; see the engine's settings for seccomp, capabilities and user namespaces, or choose another engine with engine.host")
}

// judgeEngine lists what the payload could do and should not, or could not and
// should. A report that says nothing of a wall is a fault of that wall.
func judgeEngine(report, uid string) []string {
	var faults []string
	seen := map[string]bool{}
	for line := range strings.Lines(report) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		seen[key+" "+value] = true
		switch {
		case (key == "CapEff:" || key == "CapBnd:" || key == "CapAmb:") && strings.Trim(value, "0") != "":
			faults = append(faults, "it has capabilities "+value)
		case key == "route" && !strings.HasPrefix(value, "Iface"):
			faults = append(faults, "a network route: "+value)
		case key == "if" && strings.HasSuffix(value, ":") && value != "lo:":
			faults = append(faults, "a network interface "+value)
		case key == "file", key == "wrote":
			faults = append(faults, "it reached "+value)
		}
	}
	for _, need := range []string{"uid " + uid, "CapEff: 0000000000000000", "CapBnd: 0000000000000000", "NoNewPrivs: 1", "Seccomp: 2", "if lo:",
		"shared ok", "work ok", "out ok", "cache ok", "done "} {
		if !seen[need] {
			faults = append(faults, "it does not report \""+strings.TrimSpace(need)+"\"")
		}
	}
	if !seen["tmp ok"] {
		faults = append(faults, "it cannot write to /tmp: give the image's /tmp the mode 1777")
	}
	return faults
}
