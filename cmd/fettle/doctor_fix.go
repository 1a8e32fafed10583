package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/regular"
)

// examined is a line of the report, and what --fix did about it.
type examined struct {
	finding
	Fixed string `json:"fixed,omitempty"` // the command that mended it
}

// The lines that have a cure which is safe.
const (
	lineDatabase = "database"
	lineRecord   = "record"
	lineChat     = "chat"
)

// mend does what Fix of a line says, where that is safe. Nothing else is changed:
// packages, keys and the operator's file are a person's.
func (p *parts) mend(f *examined) {
	if f.Status != "warning" {
		return
	}
	var err error
	switch f.Name {
	case lineDatabase:
		err = private(p.databaseFolder())
	case lineRecord:
		err = bot.Keep(".", ".gitignore", []byte("*\n"))
	case lineChat:
		file := p.talkFile(here())
		err = os.Rename(file, file+".broken")
	default:
		return
	}
	if err != nil {
		f.Detail += "; it could not be mended: " + err.Error()
		return
	}
	f.Status, f.Fixed = "ok", f.Fix
}

func (p *parts) databaseFolder() string {
	return filepath.Dir(strings.TrimPrefix(p.set.Database, "sqlite:"))
}

// private makes a folder its owner's alone. One that many share on purpose, such as
// /var/tmp, or that is somebody else's, is left.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); info.Mode()&fs.ModeSticky != 0 || !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s is shared, or belongs to somebody else; set state_dir to a folder of its own", dir)
	}
	return os.Chmod(dir, 0o700) //nolint:gosec // a folder is entered
}

// here is the folder that a command is called in, "" where it is gone.
func here() string {
	dir, err := folder(".")
	if err != nil {
		return ""
	}
	return dir
}

// folderFindings are about what fettle keeps of the folder that doctor is called in, where
// there is anything.
func (p *parts) folderFindings() []finding {
	dir := here()
	var out []finding
	if info, err := os.Lstat(filepath.Join(dir, ".fettle")); dir != "" && err == nil && info.IsDir() {
		out = append(out, recordFinding(dir))
	}
	file := p.talkFile(dir)
	raw, err := regular.Read(file, maxTalk)
	if errors.Is(err, fs.ErrNotExist) {
		return out
	}
	if err == nil {
		err = json.Unmarshal(raw, &talk{})
	}
	if err != nil {
		return append(out, finding{lineChat, "warning", fmt.Sprintf("%s cannot be read: %v", file, err), fmt.Sprintf("mv %s %s.broken", file, file)})
	}
	return append(out, finding{lineChat, "ok", "what was said here can be read", ""})
}

// recordFinding tells whether the record of runs ignores itself in Git.
func recordFinding(dir string) finding {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return finding{lineRecord, "error", err.Error(), "look at the folder's mode"}
	}
	defer root.Close()
	raw, err := regular.ReadIn(root, ".fettle/.gitignore", 1<<16)
	switch {
	case err == nil && len(raw) > 0:
		return finding{lineRecord, "ok", ".fettle ignores itself in Git", ""}
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return finding{lineRecord, "warning", "Git would take up .fettle, the record of runs", "echo '*' > .fettle/.gitignore"}
	}
	return finding{lineRecord, "error", err.Error(), "remove .fettle/.gitignore: it is no file"}
}
