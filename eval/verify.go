package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// greenBase is said of a case that asks for nothing.
const greenBase = "its base passes the held-back tests"

// Verify proves a case so many times: its base fails, and its reference answer passes.
// It gives what is wrong with the case, or "".
func Verify(ctx context.Context, box *sandbox.Sandbox, c Case, times int) (wrong string, err error) {
	dir, err := os.MkdirTemp("", "fettle-eval-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, sandbox.RemoveAll(dir)) }()
	if err := c.Lay(dir); err != nil {
		return "", err
	}
	if text, err := c.Issue(); err != nil || strings.TrimSpace(text) == "" {
		return "it has no issue", nil //nolint:nilerr // this is what is asked
	}
	switch c.Kind {
	case Ask:
		return c.placed(dir), nil
	case Refuse:
		return "", nil
	}
	for range times {
		if v, _, _, err := c.passes(ctx, box, dir); err != nil || v == Right {
			return greenBase, err
		}
	}
	fix, err := c.fix()
	if err != nil {
		return "it has no fix.patch", nil //nolint:nilerr // this is what is asked
	}
	cmd := command(ctx, "git", "apply", "-p1")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, bytes.NewReader(fix), append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Sprintf("fix.patch does not apply: %s", said), nil
	}
	for range times {
		switch v, _, report, err := c.passes(ctx, box, dir); {
		case err != nil:
			return "", err
		case v == Blind:
			return report, nil
		case v != Right:
			return "its reference answer fails:\n" + report, nil
		}
	}
	return "", nil
}

// placed says which place of a question is not there.
func (c Case) placed(dir string) string {
	if len(c.Facts) == 0 || len(c.Places) == 0 {
		return "it has no facts or no places"
	}
	for _, place := range c.Places {
		file, line, _ := strings.Cut(place, ":")
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if n, _ := strconv.Atoi(line); err != nil || n > bytes.Count(text, []byte("\n")) {
			return "there is no " + place
		}
	}
	return ""
}
