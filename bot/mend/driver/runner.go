//go:build linux

// Command runner runs built test binaries, one for each line that it reads, and
// answers with a line each. It is compiled inside the sandbox, and holds each
// run to processor time and memory, which a wall clock on a busy machine cannot.
// What it says is a guide for the search, never evidence.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type request struct {
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"` // the working directory
	Env  []string `json:"env"` // on top of the runner's
	CPU  int      `json:"cpu"`
	Wall int      `json:"wall"` // both in milliseconds
	Text bool     `json:"text"` // give the output back
}

type answer struct {
	Ready  bool     `json:"ready"`
	Passed []string `json:"passed"`
	Failed []string `json:"failed"`
	Late   bool     `json:"late"`
	CPU    int      `json:"cpu"` // milliseconds
	Wall   int      `json:"wall"`
	Text   string   `json:"text,omitempty"`
	Error  string   `json:"error,omitempty"`
}

const (
	memory    = 768 << 20 // bytes in use at once
	maxOutput = 4 << 20   // bytes read of a run's output; then it is killed
	tick      = 10 * time.Millisecond
)

func main() {
	const subreaper = 36 // PR_SET_CHILD_SUBREAPER: what a run leaves behind becomes our child
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, subreaper, 1, 0)
	out := json.NewEncoder(os.Stdout)
	_ = out.Encode(answer{Ready: true})
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			_ = out.Encode(answer{Error: err.Error()})
			continue
		}
		_ = out.Encode(run(r))
	}
}

func run(r request) answer {
	began := time.Now()
	rd, wr, err := os.Pipe()
	if err != nil {
		return answer{Error: err.Error()}
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return answer{Error: err.Error()}
	}
	defer null.Close()
	p, err := os.StartProcess(r.Argv[0], r.Argv, &os.ProcAttr{Dir: r.Dir, Env: append(os.Environ(), r.Env...), Files: []*os.File{null, wr, wr}, Sys: &syscall.SysProcAttr{Setpgid: true}})
	_ = wr.Close()
	if err != nil {
		_ = rd.Close()
		return answer{Error: err.Error()}
	}
	var text bytes.Buffer
	full := make(chan bool, 1)
	read := make(chan bool)
	go func() {
		defer close(read)
		buf := make([]byte, 32<<10)
		for {
			n, err := rd.Read(buf)
			if text.Len() < maxOutput {
				text.Write(buf[:n])
			} else if n > 0 {
				select {
				case full <- true:
				default:
				}
			}
			if err != nil {
				return
			}
		}
	}()
	type end struct{ state *os.ProcessState }
	ended := make(chan end, 1)
	go func() {
		state, _ := p.Wait()
		ended <- end{state}
	}()
	var a answer
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for done := false; !done; {
		select {
		case e := <-ended:
			if e.state != nil {
				a.CPU = int((e.state.UserTime() + e.state.SystemTime()).Milliseconds())
			}
			done = true
		case <-full:
			a.Late = true
			_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
		case <-clock.C:
			cpu, used := usage(p.Pid)
			if !a.Late && (cpu > r.CPU || used > memory || time.Since(began) > time.Duration(r.Wall)*time.Millisecond) {
				a.Late = true
				_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
			}
		}
	}
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // what it left running
	endOrphans()
	select {
	case <-read:
	case <-time.After(time.Second): // a process that left its group holds the pipe
		_ = rd.Close()
		<-read
	}
	_ = rd.Close()
	a.Wall = int(time.Since(began).Milliseconds())
	a.Passed, a.Failed = verdicts(text.String())
	if r.Text {
		a.Text = text.String()
		if len(a.Text) > 256<<10 {
			a.Text = a.Text[:128<<10] + a.Text[len(a.Text)-128<<10:]
		}
	}
	return a
}

// endOrphans ends the processes that a run left behind, until there are none.
func endOrphans() {
	for range 200 {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR || pid > 0:
			continue
		case err != nil: // no child is left
			return
		}
		for _, pid := range children() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, &status, 0, nil)
		}
	}
}

func children() []int {
	list, _ := os.ReadDir("/proc")
	var out []int
	for _, e := range list {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if f := status(pid); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			out = append(out, pid)
		}
	}
	return out
}

var verdict = regexp.MustCompile(`(?m)^\s*--- (PASS|FAIL): (\S+) \(`)

func verdicts(text string) (passed, failed []string) {
	for _, m := range verdict.FindAllStringSubmatch(text, -1) {
		if m[1] == "PASS" {
			passed = append(passed, m[2])
		} else {
			failed = append(failed, m[2])
		}
	}
	return passed, failed
}

// usage is the processor time in milliseconds and the memory in bytes of a
// process; zeros where the system does not tell.
func usage(pid int) (cpu, used int) {
	fields := status(pid)
	if len(fields) < 22 {
		return 0, 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	pages, _ := strconv.Atoi(fields[21])
	return (user + system) * 10, pages * os.Getpagesize() // in ticks of 10 ms
}

// status is what the system tells of a process from its state on; nil when
// there is none such.
func status(pid int) []string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
}
