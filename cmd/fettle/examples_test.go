package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var calledFettle = regexp.MustCompile(`(?:^|[|&;(]\s*|\$\()(?:\./bin/)?fettle ([^\n]*)`)

// remarked is what a shell does not run.
var remarked = regexp.MustCompile(`\s+# .*$`)

// shellWords are the words of a command up to what ends it in a shell.
func shellWords(line string) (words []string) {
	word, quote, open := "", rune(0), false
	end := func() {
		if open {
			words = append(words, word)
		}
		word, open = "", false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case strings.ContainsRune("|&;><)", r), r == '#' && !open:
			end()
			return words
		case r == ' ' || r == '\t' || r == '\\':
			end()
		default:
			word, open = word+string(r), true
		}
	}
	end()
	return words
}

// shownLines are the lines of help, README and documents that call fettle, without what is
// remarked on them, and where each stands.
func shownLines(t *testing.T) map[string]string {
	t.Helper()
	shown := map[string]string{}
	note := func(where, text string) {
		for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
			line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
			if calledFettle.MatchString(line) {
				shown[strings.ReplaceAll(remarked.ReplaceAllString(line, ""), "./bin/", "")] = where
			}
		}
	}
	var help func(*cobra.Command)
	help = func(c *cobra.Command) {
		note(c.CommandPath(), c.Example)
		for _, sub := range c.Commands() {
			help(sub)
		}
	}
	help(newRoot(strings.NewReader(""), io.Discard, io.Discard))
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%q, %v", pages, err)
	}
	blocks := regexp.MustCompile("(?s)```(?:sh|console)\n(.*?)```")
	for _, p := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks.FindAllSubmatch(text, -1) {
			note(filepath.Base(p), string(b[1]))
		}
	}
	return shown
}

// O8: each command line that the help, the README and the documents show is one that
// fettle takes: the command is there, its flags are, and the number of its arguments fits.
func TestO8ExamplesAreCommandLinesThatAreTaken(t *testing.T) {
	t.Parallel()
	shown := map[string]string{}
	for line, where := range shownLines(t) {
		for _, m := range calledFettle.FindAllStringSubmatch(line, -1) {
			shown[m[1]] = where
		}
	}
	if len(shown) < 100 {
		t.Errorf("only %d examples were found", len(shown))
	}
	for line, where := range shown {
		c, args, err := newRoot(strings.NewReader(""), io.Discard, io.Discard).Find(shellWords(line))
		if err == nil && !c.HasParent() && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			err = errors.New("no such command")
		}
		if err == nil {
			err = c.ParseFlags(args)
		}
		if err == nil {
			err = c.ValidateArgs(c.Flags().Args())
		}
		if err != nil {
			t.Errorf("%s: fettle %s: %v", where, line, err)
		}
	}
}
