package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The contract of the demo's document, on the command line and without any
// network but loopback; it is kept as TestO1ADemoIsKeptInARelativeFolder wants it.
func TestDemoJSONOffline(t *testing.T) {
	endToEnd(t)
	if os.Geteuid() != 0 {
		t.Skip("only root may make the network namespace that proves it")
	}
	c := exec.Command("fettle-offline", "demo", "--json", "--config", operator(t, ""), "--keep", "a b/keep")
	c.Dir = t.TempDir()
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), errs.String())
	}
	keptIn(t, c.Dir)
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("stdout is not one JSON document: %v\n%s", err, out.String())
	}
	pr, _ := got["pull_request"].(map[string]any)
	checks, _ := got["checks"].([]any)
	comments, _ := got["comments"].([]any)
	for what, ok := range map[string]bool{
		"outcome":             got["outcome"] == "success",
		"tier":                got["tier"] == "mechanical",
		"attempts":            got["attempts"] == 1.0,
		"cost_usd":            got["cost_usd"] == 0.0,
		"elapsed_s":           isNumber(got["elapsed_s"]),
		"branch":              isText(got["branch"]),
		"diff":                isText(got["diff"]),
		"pull_request.number": pr["number"] == 2.0,
		"pull_request.url":    isText(pr["url"]),
		"pull_request.title":  isText(pr["title"]),
		"pull_request.draft":  pr["draft"] == false,
		"pull_request.body":   isText(pr["body"]),
		"checks":              len(checks) > 0,
		"comments":            len(comments) == 1 && isText(comments[0]),
	} {
		if !ok {
			t.Errorf("%s is not as agreed in\n%s", what, out.String())
		}
	}
	for _, c := range checks {
		m, _ := c.(map[string]any)
		if !isText(m["name"]) || m["status"] != "passed" || !isNumber(m["seconds"]) {
			t.Errorf("check %v", c)
		}
	}
}

func raiseLoopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, ifr); err != nil {
		return err
	}
	all, err := net.Interfaces()
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return fmt.Errorf("there are %d network interfaces, so this is not offline", len(all))
	}
	return nil
}
