// Package redact is the one funnel for text that leaves fettle or is stored:
// logs, comments, pull requests, commit messages, prompts, rows of the
// database. Foreign text (from
// issues, repositories, tests, models) and secrets flow in; text that can be
// shown flows out. It does not know where the text goes, keeps no text, and
// must never make a text less safe: every transformation is idempotent, so
// that passing the funnel twice is the same as passing it once.
//
// The token shapes are our own table (see shapes.go). A scanner library was
// considered (gitleaks): its rules are good, but it brings a configuration
// system with process-wide state and some hundred rules that each cost a
// regular expression over every log line; a dozen shapes behind a substring
// check cover what fettle handles and what issues and tests usually leak.
package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"sort"
	"strings"
	"sync"
)

// Mark stands where a secret stood.
const Mark = "[redacted]"

// shortest is the length in bytes below which a "secret" is not replaced:
// replacing "a" everywhere would leak more than it hides.
const shortest = 5

// Funnel knows the secrets of this process and cleans text. A nil *Funnel
// still knows the shapes of well-known tokens. Safe for concurrent use.
type Funnel struct {
	mu     sync.RWMutex
	known  map[string]bool
	short  []string // what AddToken was given, in the order of its coming
	values *strings.Replacer
	long   *strings.Replacer // of values of certain bytes and more, for Stored
}

// maxShort bounds the tokens of AddToken that are kept.
const maxShort = 1000

// certain is the length in bytes from which on a known value is taken out of
// source code too: a key such as "ollama" is a word there.
const certain = 16

// New makes a funnel that knows the given secret values. Values shorter than
// five bytes are ignored.
func New(secrets ...string) *Funnel {
	f := &Funnel{known: map[string]bool{}}
	for _, s := range secrets {
		f.AddSecret(s)
	}
	return f
}

// AddSecret makes the funnel hide one more value from now on, also in the
// forms in which it usually travels: escaped in a URL or in JSON, in base64,
// as the password of Git's basic authentication, and line by line.
func (f *Funnel) AddSecret(s string) { f.add(s, false) }

// AddToken is AddSecret for a token that dies within the hour. Only the latest
// thousand are kept, so that a server that runs for months does not keep every
// token that it ever had.
func (f *Funnel) AddToken(s string) { f.add(s, true) }

func (f *Funnel) add(s string, dies bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := len(f.known)
	for _, form := range forms(s) {
		if len(form) >= shortest && !strings.Contains(Mark, form) {
			f.known[form] = true
		}
	}
	if len(f.known) == before {
		return
	}
	if dies {
		if f.short = append(f.short, s); len(f.short) > maxShort {
			for _, form := range forms(f.short[0]) {
				delete(f.known, form)
			}
			f.short = f.short[1:]
		}
	}
	all := make([]string, 0, len(f.known))
	for v := range f.known {
		all = append(all, v)
	}
	sort.Slice(all, func(i, j int) bool {
		if len(all[i]) != len(all[j]) {
			return len(all[i]) > len(all[j]) // the longest wins at a place
		}
		return all[i] < all[j]
	})
	pairs := make([]string, 0, 2*len(all))
	long := 0
	for _, v := range all {
		pairs = append(pairs, v, Mark)
		if len(v) >= certain {
			long = len(pairs)
		}
	}
	f.values, f.long = strings.NewReplacer(pairs...), strings.NewReplacer(pairs[:long]...)
}

// forms lists how a secret may be written.
func forms(s string) []string {
	s = strings.TrimSpace(s)
	if len(s) < shortest {
		return nil
	}
	out := []string{s, url.QueryEscape(s), url.PathEscape(s), base64.StdEncoding.EncodeToString([]byte(s)),
		base64.StdEncoding.EncodeToString([]byte("x-access-token:" + s))}
	if quoted, err := json.Marshal(s); err == nil {
		out = append(out, strings.Trim(string(quoted), `"`))
	}
	if lines := strings.Split(s, "\n"); len(lines) > 1 {
		for _, line := range lines {
			if line = strings.TrimSpace(line); len(line) >= 16 && !strings.HasPrefix(line, "-----") {
				out = append(out, line)
			}
		}
	}
	return out
}

// Secrets replaces the known secret values and everything that has the shape
// of a well-known token by "[redacted]".
func (f *Funnel) Secrets(text string) string {
	for {
		parts := strings.Split(text, Mark) // a mark is never part of a secret
		for i, p := range parts {
			parts[i] = f.pass(p)
		}
		next := strings.Join(parts, Mark)
		if next == text {
			return text
		}
		text = next // a replacement may uncover a token beside it; each pass shortens the rest
	}
}

func (f *Funnel) pass(text string) string {
	if text == "" {
		return text
	}
	if f != nil {
		f.mu.RLock()
		values := f.values
		f.mu.RUnlock()
		if values != nil {
			text = values.Replace(text)
		}
	}
	for _, s := range shapes {
		text = s.hide(text)
	}
	return text
}
