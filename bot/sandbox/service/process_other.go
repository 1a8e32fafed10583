//go:build !linux

package service

import "os/exec"

func Guard() {}

func group(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
