package mend

import (
	"context"
	"slices"

	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// maxAsked is how many rivals are held against what the project says of the
// functions that they change: each is a run of its own.
const maxAsked = 6

// askStated puts those of the likeliest rivals first that hold to more of the
// examples in the comments of what they change and in the README.
func (s *search) askStated(ctx context.Context, rivals []rival) error {
	if s.mender.cfg.Verifier == nil {
		return nil
	}
	held := rivals[:min(len(rivals), maxAsked)]
	var changes []verify.Change
	for _, r := range held {
		changes = append(changes, verify.Change{Path: r.path, Before: r.original, After: r.text()})
	}
	stated, err := example.StatedOf(ctx, s.req.Base, changes)
	if err != nil || stated.Len() == 0 {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, max(probeTime, s.until.Sub(s.mender.cfg.Now())))
	defer cancel()
	ask := func(files map[string][]byte) ([]example.Answer, error) {
		return stated.Ask(limited, s.mender.cfg.Verifier, s.req.Dir, files)
	}
	before, err := ask(nil)
	for i := 0; err == nil && i < len(held); i++ {
		var after []example.Answer
		if after, err = ask(map[string][]byte{held[i].path: held[i].text()}); err != nil {
			break
		}
		for _, a := range after {
			if a.Holds {
				held[i].holds++
			}
		}
		held[i].broken = stated.Broken(before, after)
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil // some were not asked, so none is put before another
	}
	if err != nil {
		return err
	}
	for i := range held {
		held[i].asked, held[i].doubts = true, append(held[i].doubts, held[i].broken...)
	}
	slices.SortStableFunc(held, func(a, b rival) int { return b.holds - a.holds })
	return nil
}
