package sandbox

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// sealer starts programs so that what they start cannot look into them. The
// kernel makes a process undumpable when the file that it executes may not be
// read (exec(2), proc(5)): its memory, environment and descriptors are then
// closed to every process of its own user. So a program is started by a copy
// of its dynamic loader that may be executed only; one that has no loader is
// itself copied so. What the program starts later, from readable files, is
// ordinary again.
type sealer struct {
	mu    sync.Mutex
	seals map[string]seal // by program
}

// seal is how one program is started.
type seal struct {
	from   string // path of the execute-only copy, as bwrap sees it
	inside string
	loader bool // the copy is the loader and takes the program as its argument
}

// sealed gives bwrap's options and the command line that start argv sealed.
func (b *bubblewrap) sealed(s *Sandbox, argv []string) (args, run []string, err error) {
	program := argv[0]
	if !filepath.IsAbs(program) {
		found, ok := s.Tool(program)
		if !ok {
			return nil, nil, fmt.Errorf("sandbox: %s is not in %s", program, strings.Join(s.tools.path(), ":"))
		}
		program = found
	}
	k, err := b.seal(program)
	if err != nil {
		return nil, nil, fmt.Errorf("sandbox: starting %s so that nothing can look into it: %w", program, err)
	}
	run = []string{k.inside}
	if k.loader {
		run = append(run, program)
	}
	if b.tree == "" {
		args = []string{"--ro-bind", k.from, k.inside}
	}
	return args, append(run, argv[1:]...), nil
}

// seal makes the copy for a program once.
func (b *bubblewrap) seal(program string) (seal, error) {
	b.sealer.mu.Lock()
	defer b.sealer.mu.Unlock()
	if k, ok := b.sealer.seals[program]; ok {
		return k, nil
	}
	source, loader, err := whatToSeal(program)
	if err != nil {
		return seal{}, err
	}
	data, err := readUpTo(source, maxSealed)
	if err != nil {
		return seal{}, err
	}
	dir := filepath.Join(b.sealDir, strconv.Itoa(len(b.sealer.seals)))
	k := seal{from: filepath.Join(dir, filepath.Base(program)), loader: loader}
	k.inside = filepath.Join("/run/seal", filepath.Base(dir), filepath.Base(program))
	err = b.stage.do(func() error {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(k.from, data, 0o700); err != nil {
			return err
		}
		return os.Chmod(k.from, 0o111)
	})
	if err != nil {
		return seal{}, err
	}
	if b.sealer.seals == nil {
		b.sealer.seals = map[string]seal{}
	}
	b.sealer.seals[program] = k
	return k, nil
}

// whatToSeal is the file whose execution makes a program's process undumpable.
func whatToSeal(program string) (source string, loader bool, err error) {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return "", false, err
	}
	f, err := elf.Open(real)
	if err != nil {
		return "", false, fmt.Errorf("%s is not a program of this system but perhaps a script: put the real one first in PATH: %w", real, err)
	}
	defer f.Close()
	path, err := loaderOf(f)
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", real, err)
	}
	if path == "" {
		return real, false, nil
	}
	return path, true, nil
}

func readUpTo(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = errors.New("the file is too large to be copied for it")
	}
	return data, err
}
