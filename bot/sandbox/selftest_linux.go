package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// selfTestScript looks from inside for every wall; it prints one line per fact.
const selfTestScript = `
exec 2>&1
echo "uid $(id -u)"
while read -r k v; do case $k in CapEff:|CapBnd:|NoNewPrivs:|Seccomp:) echo "$k $v";; esac; done </proc/self/status
while read -r line; do echo "route $line"; done </proc/net/route
while read -r name rest; do echo "if $name"; done </proc/net/dev
tr '\0' '\n' </proc/1/environ | while read -r l; do echo "env1 $l"; done
env | while read -r l; do echo "env $l"; done
cat "$1" 2>/dev/null && echo "file canary"
ls /proc/self/fd | while read -r n; do echo "fd $n"; done
( : >/usr/.fettle ) 2>/dev/null && echo "wrote /usr"
( : >/.fettle ) 2>/dev/null && echo "wrote /"
( : >/work/.fettle ) && echo "work ok"
( : >/out/.fettle ) && echo "out ok"
( : >/tmp/.fettle ) && echo "tmp ok"
( : >/proc/self/comm ) 2>/dev/null && echo "proc writable"
[ -e "$HOST_HOME" ] && ls -A "$HOST_HOME" | while read -r l; do echo "home $l"; done
echo done
`

// selfTest tries the walls with a harmless payload.
func (s *Sandbox) selfTest(ctx context.Context) error {
	dir, lock, err := newBox(s.state)
	if err != nil {
		return err
	}
	defer func() { _ = dropBox(dir, lock) }()
	w, canary, err := s.trial(ctx, dir)
	if err != nil {
		return err
	}
	defer w.Close()
	res, err := w.Run(ctx, Command{Argv: []string{"/bin/sh", "-c", selfTestScript, "sh", canary}, Limits: Limits{Wall: 20 * time.Second}})
	if err != nil {
		return explain(err)
	}
	if faults := judgeSelfTest(string(res.Stdout), s.walls.Landlock != ""); len(faults) > 0 {
		return fmt.Errorf("sandbox: the self-test found a wall missing (%s); nothing of a repository was run", strings.Join(faults, "; "))
	}
	return nil
}

// judgeSelfTest lists what the payload could do and should not.
func judgeSelfTest(report string, locked bool) []string {
	var faults []string
	seen := map[string]bool{}
	for line := range strings.Lines(report) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		seen[key+" "+value] = true
		switch {
		case key == "uid" && value == "0":
			faults = append(faults, "the payload is root")
		case (key == "CapEff:" || key == "CapBnd:") && strings.Trim(value, "0") != "":
			faults = append(faults, "it has capabilities "+value)
		case key == "NoNewPrivs:" && value != "1":
			faults = append(faults, "it may gain privileges")
		case key == "Seccomp:" && value != "2":
			faults = append(faults, "no system call filter")
		case key == "route" && !strings.HasPrefix(value, "Iface"):
			faults = append(faults, "a network route: "+value)
		case key == "if" && strings.HasSuffix(value, ":") && value != "lo:":
			faults = append(faults, "a network interface "+value)
		case key == "proc" && locked:
			faults = append(faults, "Landlock does not hold")
		case key == "env1":
			faults = append(faults, "the launcher's environment shows")
		case key == "file", key == "wrote":
			faults = append(faults, "it reached the host: "+line)
		}
	}
	for _, need := range []string{"uid " + insideUID, "NoNewPrivs: 1", "Seccomp: 2", "work ok", "out ok", "tmp ok", "done "} {
		if !seen[need] {
			faults = append(faults, "no answer to "+strings.TrimSpace(need))
		}
	}
	return faults
}

// explain turns bubblewrap's own words into what to do.
func explain(err error) error {
	if !errors.Is(err, errNoStart) {
		return fmt.Errorf("sandbox: self-test: %w", err)
	}
	said := err.Error()
	what := "see whether this machine or container allows unprivileged user namespaces"
	closed := machine{root: "/"}.closed()
	switch {
	case closed != "":
		what = closed
	case strings.Contains(said, "Unknown option"):
		what = "install bubblewrap 0.8 or later"
	case strings.Contains(said, "execvp "+enterPath):
		what = "choose a state_dir on a file system that is not mounted noexec"
	case strings.Contains(said, "proc"):
		what = "a container runtime masks /proc: run it with --security-opt systempaths=unconfined, or outside of the container"
	}
	return fmt.Errorf("%w; %s", err, what)
}
