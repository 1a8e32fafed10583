package mend

import (
	"context"
	"sort"

	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/example"
)

// maxAsked is how many rivals are held against what the project says of the
// functions that they change: each is a run of its own.
const maxAsked = 6

// askStated puts those of the likeliest rivals first that hold to more of the
// examples in the comments of what they change and in the README.
func (s *search) askStated(ctx context.Context, rivals []rival) error {
	held := rivals[:min(len(rivals), maxAsked)]
	var changes []verify.Change
	for _, r := range held {
		changes = append(changes, verify.Change{Path: r.path, Before: r.original, After: r.text()})
	}
	stated, err := example.StatedOf(ctx, s.req.Base, changes)
	if err != nil || stated.Len() == 0 {
		return err
	}
	before, err := stated.Ask(ctx, s.mender.cfg.Verifier, s.req.Dir, nil)
	if err != nil {
		return err
	}
	for i := range held {
		if !s.inTime() {
			return nil // some are not asked, so none is put before another
		}
		after, err := stated.Ask(ctx, s.mender.cfg.Verifier, s.req.Dir, map[string][]byte{held[i].path: held[i].text()})
		if err != nil {
			return err
		}
		for _, a := range after {
			if a.Holds {
				held[i].holds++
			}
		}
		held[i].broken = stated.Broken(before, after)
	}
	for i := range held {
		held[i].asked, held[i].doubts = true, append(held[i].doubts, held[i].broken...)
	}
	sort.SliceStable(held, func(i, j int) bool { return held[i].holds > held[j].holds })
	return nil
}
