package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/regular"
)

// agentsFile is what other agents read before they work on a repository.
const agentsFile = "AGENTS.md"

const (
	agentsBegin = "<!-- fettle: begin -->"
	agentsEnd   = "<!-- fettle: end -->"
)

// agentsSection tells any agent how to have its work judged.
const agentsSection = agentsBegin + `
## Before you say that a change is done

1. For a bug: ` + "`fettle reproduce --issue FILE`" + ` makes a test of the calls in an issue that fails
   as the issue says. Where none can be made, write one yourself, and see it fail first.
2. Change only what has to change, and add the test.
3. Run ` + "`fettle judge --json`" + `. It runs the tests in a sandbox and says what the change proves:
   ` + "`proven`" + ` or ` + "`plausible`" + ` (exit status 0) is done; ` + "`unproven`" + ` and ` + "`refuted`" + ` (1) and
   ` + "`dangerous`" + ` (5) are not. ` + "`reasons`" + `, ` + "`survivors`" + ` and ` + "`findings`" + ` name the lines.
4. Add tests for what survives. Do not weaken, skip or delete tests, and change no settings of
   the test runner: the judge takes both from before your change.

With the Model Context Protocol the same are the tools ` + "`reproduce`" + ` and ` + "`judge`" + ` of ` + "`fettle mcp`" + `.
` + agentsEnd + "\n"

// agentsInit prints the section for AGENTS.md, or puts it there: in the place of an older
// one, else at the end.
func agentsInit(c *cobra.Command, args []string, write bool) error {
	if !write {
		return printf(c.OutOrStdout(), "%s", agentsSection)
	}
	name := "."
	if len(args) == 1 {
		name = args[0]
	}
	dir, err := folder(name)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return usage("opening %s: %w", dir, err)
	}
	defer root.Close()
	old, err := regular.ReadFS(regular.FS(root), agentsFile, 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return usage("reading %s: %w", agentsFile, err)
	}
	text, err := withSection(string(old))
	if err != nil {
		return err
	}
	if text == string(old) {
		return printf(c.OutOrStdout(), "%s has it already\n", agentsFile)
	}
	const beside = agentsFile + ".fettle-new" // what is there stays whole until the new file is
	if err = root.WriteFile(beside, []byte(text), 0o644); err == nil {
		err = root.Rename(beside, agentsFile)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", agentsFile, err), root.Remove(beside))
	}
	return printf(c.OutOrStdout(), "wrote %s; commit it, and agents that read it have their work judged\n", agentsFile)
}

// withSection is the file with the section; its own lines end as they did.
func withSection(old string) (string, error) {
	section, line := agentsSection, "\n"
	if strings.Contains(old, "\r\n") {
		line = "\r\n"
		section = strings.ReplaceAll(section, "\n", line)
	}
	begin, end := strings.Index(old, agentsBegin), strings.Index(old, agentsEnd)
	switch {
	case begin < 0 && end < 0:
		if old == "" {
			return section, nil
		}
		return strings.TrimRight(old, "\r\n") + line + line + section, nil
	case begin < 0 || end < begin || strings.Count(old, agentsBegin) > 1 || strings.Count(old, agentsEnd) > 1:
		return "", usage("%s does not hold one pair of %q and %q; mend the lines, or delete both", agentsFile, agentsBegin, agentsEnd)
	}
	after := strings.TrimPrefix(strings.TrimPrefix(old[end+len(agentsEnd):], "\r"), "\n")
	return old[:begin] + section + after, nil
}
