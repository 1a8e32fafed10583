// Package lazyregexp is for the expressions of package variables: each is
// compiled when it is first used, so that a command pays only for those that it
// needs. fettle has some nine hundred, which took every start of it, that of
// `fettle --help` too, some fifty milliseconds. Go's own internal package of this
// name does the same for the go command.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp stands for a [regexp.Regexp], whose methods it has, and may be used by
// several goroutines at once.
type Regexp struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// inTest makes New compile at once, so that a mistake in an expression fails
// its package's tests whether one of them uses it or not.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New keeps an expression. A mistake in it is a mistake in this program: its
// first use panics.
func New(text string) *Regexp {
	r := &Regexp{text: text}
	if inTest {
		r.get()
	}
	return r
}

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.text) })
	return r.compiled
}

// String is the expression as it was given.
func (r *Regexp) String() string { return r.text }

func (r *Regexp) Match(b []byte) bool                        { return r.get().Match(b) }
func (r *Regexp) MatchString(s string) bool                  { return r.get().MatchString(s) }
func (r *Regexp) FindString(s string) string                 { return r.get().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int             { return r.get().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string       { return r.get().FindStringSubmatch(s) }
func (r *Regexp) FindStringSubmatchIndex(s string) []int     { return r.get().FindStringSubmatchIndex(s) }
func (r *Regexp) FindAllString(s string, n int) []string     { return r.get().FindAllString(s, n) }
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.get().FindAllStringIndex(s, n) }
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) ReplaceAllString(s, by string) string { return r.get().ReplaceAllString(s, by) }
func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, by)
}
func (r *Regexp) Split(s string, n int) []string       { return r.get().Split(s, n) }
func (r *Regexp) FindSubmatch(b []byte) [][]byte       { return r.get().FindSubmatch(b) }
func (r *Regexp) FindSubmatchIndex(b []byte) []int     { return r.get().FindSubmatchIndex(b) }
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.get().FindAllIndex(b, n) }
func (r *Regexp) ReplaceAll(b, by []byte) []byte       { return r.get().ReplaceAll(b, by) }
func (r *Regexp) ReplaceAllLiteralString(s, by string) string {
	return r.get().ReplaceAllLiteralString(s, by)
}
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte { return r.get().FindAllSubmatch(b, n) }
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.get().FindAllSubmatchIndex(b, n)
}
func (r *Regexp) SubexpIndex(name string) int      { return r.get().SubexpIndex(name) }
func (r *Regexp) FindAll(b []byte, n int) [][]byte { return r.get().FindAll(b, n) }
func (r *Regexp) SubexpNames() []string            { return r.get().SubexpNames() }
func (r *Regexp) FindIndex(b []byte) []int         { return r.get().FindIndex(b) }
