package loop

import (
	"context"

	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// judging is what the judge is asked. Where the tests are green and only the
// mended ones have still to be questioned, what is asked next is begun.
type judging struct {
	Baseline verify.Baseline
	NewTests []string
	Whole    bool // other steps follow: nothing may be broken, mended or not
	Issue    string
	Checks   checking
	Pins     *pinning // nil: none will be asked for
}

// early is work that was begun before it was asked for.
type early[T any] struct {
	cancel context.CancelFunc
	done   chan struct{}
	value  T
	err    error
}

func begin[T any](ctx context.Context, do func(ctx context.Context) (T, error)) *early[T] {
	ctx, cancel := context.WithCancel(ctx) //nolint:gosec // whoever takes the answer, or drops it, cancels
	e := &early[T]{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		e.value, e.err = do(ctx)
	}()
	return e
}

// take waits for what the work comes to.
func take[T any](at **early[T]) (T, error) {
	e := *at
	*at = nil
	defer e.cancel()
	<-e.done
	return e.value, e.err
}

// drop ends work that nobody will ask for.
func drop[T any](at **early[T]) {
	if e := *at; e != nil {
		*at = nil
		e.cancel()
		<-e.done
	}
}

// ahead is what was begun on the tree as it is.
type ahead struct {
	checks *early[checked]
	found  *early[characterise.Found]
}

// lookAhead begins what follows a green verdict. What cannot be begun is done, and
// its error told, where it is asked for.
func (h *real) lookAhead(ctx context.Context, j judging) {
	h.ahead.drop()
	if change, err := h.checkable(j.Checks); err == nil {
		h.ahead.checks = begin(ctx, func(ctx context.Context) (checked, error) { return h.runChecks(ctx, j.Checks, change) })
	}
	if j.Pins == nil {
		return
	}
	if in, err := h.characterisable(*j.Pins); err == nil {
		h.ahead.found = begin(ctx, func(ctx context.Context) (characterise.Found, error) { return h.characterise(ctx, in) })
	}
}

// drop is called before the tree is changed.
func (a *ahead) drop() {
	drop(&a.checks)
	drop(&a.found)
}
