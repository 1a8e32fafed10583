package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
)

// talk is what a chat about a folder keeps between turns and between chats.
type talk struct {
	Dir     string       `json:"dir"`
	Turns   []turn       `json:"turns"`             // oldest first
	Matter  []string     `json:"matter,omitempty"`  // what was asked since a change was written or dropped last
	Over    []string     `json:"over,omitempty"`    // diffs that are not written, each made upon the one before
	Whole   *bot.Summary `json:"whole,omitempty"`   // of all of them together
	Waiting string       `json:"waiting,omitempty"` // the run that waits for an answer
	Scope   []string     `json:"scope,omitempty"`
	MaxTier string       `json:"max_tier,omitempty"`
	Plan    *bool        `json:"plan,omitempty"` // nil: as there are models
	Tests   bool         `json:"with_tests,omitempty"`
}

// turn is what was typed and what came of it.
type turn struct {
	At      time.Time    `json:"at"`
	Typed   string       `json:"typed"`
	Kind    string       `json:"kind"` // fix, ask or run
	Run     string       `json:"run,omitempty"`
	Outcome task.Outcome `json:"outcome,omitempty"`
	Cost    task.USD     `json:"cost_usd"`
}

const (
	maxTurns = 200
	maxTalk  = 64 << 20
)

// keeper holds the file of a folder's talk, which one process at a time may have.
type keeper struct {
	file string
	lock *os.File
}

// talkFile is where the talk of a folder lies.
func (p *parts) talkFile(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(p.set.StateDir, "chats", hex.EncodeToString(sum[:12])+".json")
}

// keepTalk opens the talk of a folder. It lies in the state folder: what lies in the
// repository may have been put there by others, and a change in it would be written at a yes.
func (p *parts) keepTalk(dir string, anew bool) (*keeper, *talk, error) {
	k := &keeper{file: p.talkFile(dir)}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return nil, nil, fmt.Errorf("making the folder of the chats: %w; set state_dir in the configuration", err)
	}
	lock, err := os.OpenFile(k.file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the lock of the chat: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		return nil, nil, usage("another chat is open in %s; end that one first", dir)
	}
	k.lock = lock
	t := &talk{Dir: dir}
	if anew {
		return k, t, nil
	}
	raw, err := regular.Read(k.file, maxTalk)
	if errors.Is(err, fs.ErrNotExist) {
		return k, t, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, t)
	}
	if err != nil {
		return nil, nil, errors.Join(usage("reading what was said before: %w; 'fettle chat --new' begins anew", err), k.close())
	}
	return k, t, nil
}

// save writes the talk beside the old one, and then in its place.
func (k *keeper) save(t *talk, funnel *redact.Funnel) error {
	t.Turns = t.Turns[max(0, len(t.Turns)-maxTurns):]
	for i := range t.Turns {
		t.Turns[i].Typed = funnel.Secrets(t.Turns[i].Typed)
	}
	for i := range t.Matter {
		t.Matter[i] = funnel.Secrets(t.Matter[i])
	}
	raw, err := json.Marshal(t)
	if err == nil {
		err = os.WriteFile(k.file+".tmp", raw, 0o600)
	}
	if err == nil {
		err = os.Rename(k.file+".tmp", k.file)
	}
	if err != nil {
		return fmt.Errorf("keeping what was said: %w", err)
	}
	return nil
}

// close lets another chat have the talk. The lock stays: whoever waits for it has it open.
func (k *keeper) close() error { return k.lock.Close() }
