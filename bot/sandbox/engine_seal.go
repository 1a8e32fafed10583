package sandbox

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// engineSeals keeps the execute-only copies of the image's programs. How that
// closes a process to those that it starts stands at the sealer of bubblewrap.
type engineSeals struct {
	mu   sync.Mutex
	made map[string]engineSeal // by program
}

type engineSeal struct {
	shown  Mount
	loader bool // the copy is the program's loader and takes it as its argument
}

// sealed gives the mount and the command line that start argv sealed.
func (e *engine) sealed(ctx context.Context, box *Sandbox, argv []string) (shown Mount, run []string, err error) {
	program := argv[0]
	if !path.IsAbs(program) {
		found, ok := box.Tool(program)
		if !ok {
			return Mount{}, nil, fmt.Errorf("sandbox: %s is not in the image's %s", program, strings.Join(box.tools.path(), ":"))
		}
		program = found
	}
	e.seals.mu.Lock()
	defer e.seals.mu.Unlock()
	k, ok := e.seals.made[program]
	if !ok {
		if k, err = e.seal(ctx, box, program); err != nil {
			return Mount{}, nil, fmt.Errorf("sandbox: starting %s so that nothing can look into it: %w", program, err)
		}
		if e.seals.made == nil {
			e.seals.made = map[string]engineSeal{}
		}
		e.seals.made[program] = k
	}
	run = []string{k.shown.Inside}
	if k.loader {
		run = append(run, program)
	}
	return k.shown, append(run, argv[1:]...), nil
}

// seal takes the program, or its loader, out of the image and makes a copy that
// may be executed only.
func (e *engine) seal(ctx context.Context, box *Sandbox, program string) (engineSeal, error) {
	w, err := box.Workspace(ctx, "")
	if err != nil {
		return engineSeal{}, err
	}
	defer w.Close()
	data, err := takeOut(ctx, w, program)
	if err != nil {
		return engineSeal{}, err
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return engineSeal{}, fmt.Errorf("it is not a program but perhaps a script: put the real one first in the image's PATH: %w", err)
	}
	loader, err := loaderOf(f)
	if err != nil {
		return engineSeal{}, err
	}
	if loader != "" {
		if data, err = takeOut(ctx, w, loader); err != nil {
			return engineSeal{}, err
		}
	}
	number, name := strconv.Itoa(len(e.seals.made)), path.Base(program)
	k := engineSeal{loader: loader != "", shown: Mount{Host: filepath.Join(e.dir, "seal", number, name), Inside: path.Join("/run/seal", number, name)}}
	err = errors.Join(os.MkdirAll(filepath.Dir(k.shown.Host), 0o755), os.WriteFile(k.shown.Host, data, 0o700))
	if err == nil {
		err = os.Chmod(k.shown.Host, 0o111)
	}
	if err != nil {
		return engineSeal{}, err
	}
	return k, trySeal(ctx, w, k)
}

// takeOut reads a file of the image.
func takeOut(ctx context.Context, w *Workspace, name string) ([]byte, error) {
	r, err := w.Run(ctx, Command{Argv: []string{"cp", "-L", "--", name, "/out/taken"}, Limits: Limits{Wall: time.Minute}})
	if err != nil {
		return nil, err
	}
	if !r.OK() {
		return nil, fmt.Errorf("copying %s out of the image: %.300s", name, r.Stderr)
	}
	data, err := w.ReadOut("taken", maxSealed)
	if err != nil {
		return nil, err
	}
	return data, os.Remove(filepath.Join(w.OutDir(), "taken"))
}

// trySeal sees that the copy may not be read inside: folders that a virtual
// machine shares do not always keep modes.
func trySeal(ctx context.Context, w *Workspace, k engineSeal) error {
	c := Command{Argv: []string{"/bin/sh", "-c", `[ -x "$1" ] && ! cat "$1" >/dev/null 2>&1 && echo sealed`, "sh", k.shown.Inside},
		ReadOnly: []Mount{k.shown}, Limits: Limits{Wall: time.Minute}}
	r, err := w.Run(ctx, c)
	if err != nil {
		return err
	}
	if string(r.Stdout) != "sealed\n" {
		return errors.New("the folders that the engine shares with fettle do not keep files from being read; choose another state_dir")
	}
	return nil
}
