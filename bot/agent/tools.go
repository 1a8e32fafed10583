package agent

import (
	"context"
	"errors"
)

// Tools answer the developer's questions about the code as it stands before
// the attempt. What they return is foreign text: it is fenced, capped and
// shown with hidden characters written out. An error's words are shown to the
// model as the result, unless it wraps ErrFatal. They enforce what may be
// seen: paths that are never sent, the checkout's borders.
type Tools interface {
	// ReadRegion gives the code of a region by its id or name, or of lines such
	// as 10-40. With no region it gives the file's regions, one a line with their
	// ids, and the text of a small file.
	ReadRegion(ctx context.Context, path, region string) (string, error)
	// Search finds a text in the tree or under a path, word for word and by what
	// the project's index knows; each line of the result says where.
	Search(ctx context.Context, query, path string) (string, error)
	// ListFiles lists files under a path, "" for the whole tree.
	ListFiles(ctx context.Context, path string) (string, error)
	// RunCheck runs a named check on the code as it stands and gives its
	// normalised failures. It cannot run anything else.
	RunCheck(ctx context.Context, name string) (string, error)
	// Outline gives the signatures of a file, or of a folder's files.
	Outline(ctx context.Context, path string) (string, error)
	// Try gives the value of an expression, with the names of a file at hand, in
	// the sandbox, and what it prints.
	Try(ctx context.Context, path, expression string) (string, error)
}

// ErrFatal marks a tool's error that ends the run's attempt instead of being
// shown to the model, such as a journal that cannot be written.
var ErrFatal = errors.New("the tool cannot go on")

// Limits bound a conversation.
type Limits struct {
	Turns       int // answers in all; 8
	Actions     int // in all; 40
	Tokens      int // in and out, over all turns; 120,000
	ResultBytes int // of one result; 8 KiB
	TurnBytes   int // of all results of a turn; 24 KiB
}

func (l Limits) withDefaults() Limits {
	for _, x := range []struct {
		value *int
		or    int
	}{{&l.Turns, 8}, {&l.Actions, 40}, {&l.Tokens, 120_000}, {&l.ResultBytes, 8 << 10}, {&l.TurnBytes, 24 << 10}} {
		if *x.value <= 0 {
			*x.value = x.or
		}
	}
	return l
}
