package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Keeper keeps what was seen of contents that may come again. Whoever makes one answers
// for everything else that a result depends on being the same: program, settings,
// sandbox, tools, and how long ago it was.
type Keeper interface {
	// Kept gives what was kept under a name, and when; nil where there is nothing.
	Kept(ctx context.Context, name string) ([]byte, time.Time, error)
	Keep(ctx context.Context, name string, body []byte) error
}

// Name names a change by its contents: the same for the same files before and after and
// the same issue, whatever commits they are of.
func (in Input) Name() string {
	return "change " + digest(contents(in.Base), contents(in.Head), in.Title, in.Body)
}

// contents are all names, modes and hashes of a tree, and what of it is not there.
func contents(t *checkout.Tree) any {
	entries, skipped := t.Entries(), t.Skipped()
	for i := range entries {
		entries[i].Path = strconv.QuoteToASCII(entries[i].Path)
	}
	for i := range skipped {
		skipped[i] = strconv.QuoteToASCII(skipped[i])
	}
	return []any{entries, skipped}
}

// spelled quotes names of files: JSON has one letter for all that is no UTF-8.
func spelled[T any](files map[string]T) map[string]T {
	out := make(map[string]T, len(files))
	for p, x := range files {
		out[strconv.QuoteToASCII(p)] = x
	}
	return out
}

func digest(parts ...any) string {
	raw, err := json.Marshal(parts) // unambiguous: no part can run into the next
	if err != nil {
		raw = fmt.Appendf(nil, "%q", parts)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// baseline is what the tests showed of the code before the change: kept, where the same
// files were measured before, else measured now. What is compiled is measured each
// time: later runs begin with what was built for it.
func (r *run) baseline(ctx context.Context, suites []verify.Suite) (verify.Baseline, error) {
	if r.in.Kept == nil || slices.ContainsFunc(suites, func(s verify.Suite) bool { return !interpreted[s.Kind] }) {
		return r.cfg.Verifier.Baseline(ctx, r.in.Base.Dir(), suites)
	}
	laid := version(r.tests, true)
	if r.theirs {
		for p, data := range version(r.config, true) {
			laid[p] = data
		}
	}
	name := "base " + digest(contents(r.in.Base), spelled(laid), spelled(r.c.exec), suites)
	if !r.anew {
		body, _, err := r.in.Kept.Kept(ctx, name)
		var base verify.Baseline
		if err == nil && body != nil && json.Unmarshal(body, &base) == nil {
			r.reused = true
			return base, nil
		}
		if ctx.Err() != nil {
			return base, context.Cause(ctx)
		}
	}
	base, err := r.cfg.Verifier.Baseline(ctx, r.in.Base.Dir(), suites)
	if err != nil {
		return base, err
	}
	if body, err := json.Marshal(base); err == nil && !slices.ContainsFunc(base.Report.Failures(), late) {
		_ = r.in.Kept.Keep(ctx, name, body) // it is measured again where it cannot be kept
	}
	r.reused = false
	return base, nil
}

// late is a failure that says more of the machine's hour than of the code.
func late(f task.Failure) bool { return f.Kind == task.FailTimeout || f.Kind == task.FailCrash }

// interpreted are the kinds of suites whose runs leave nothing built for later ones.
var interpreted = map[string]bool{"python": true, "javascript": true, "ruby": true, "php": true}

// holds tells whether what was kept of the code before the change is so still: the tests
// that show something of the change are run there again.
func (r *run) holds(ctx context.Context) (bool, error) {
	ids := slices.Concat(r.verdict.Fixed, r.verdict.Broken, r.verdict.Missing)
	if !r.reused || len(ids) == 0 {
		return true, nil
	}
	rep, err := r.cfg.Verifier.Try(ctx, verify.Trial{Dir: r.in.Base.Dir(), Baseline: &r.base, IDs: ids})
	if err != nil {
		return false, fmt.Errorf("asking the tests again on the code before the change: %w", err)
	}
	was, now := r.base.Report, rep
	for _, id := range ids {
		if slices.Contains(was.Red(), id) != slices.Contains(now.Red(), id) || slices.Contains(was.Green(), id) != slices.Contains(now.Green(), id) {
			return false, nil
		}
	}
	return true, nil
}
