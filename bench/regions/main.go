// Command regions measures package code against the languages' own tools and
// against tree-sitter built natively; "make bench-regions" runs all of it.
//
//	regions recall   definitions and spans beside Python's ast, go/ast and TypeScript;
//	                 of other languages beside PHP's tokenizer, Ruby's parser and universal-ctags
//	regions syntax   syntax errors beside the same three, on files broken by rule
//	regions speed    MB/s and memory beside universal-ctags and native tree-sitter
//	regions saving   tokens of changed regions beside tokens of changed files
//
// Corpora are found on the machine (the Python library, GOROOT, packages that
// npm installs into a temporary folder, /usr/include and the like) or given:
// FETTLE_CORPUS lists folders, FETTLE_HISTORIES Git directories, each separated
// by colons; without it the history of the folder that the command is started in
// serves. What is not on the machine is left out and named in the summary at the
// end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/fettle-dev/fettle/bench/machine"
)

var errPart = errors.New("no such part")

type bench struct {
	limit int    // files of a group
	dir   string // downloads and builds
	seed  uint64
	show  int // differences to print

	figures []figure
	missing []string
}

func main() {
	var b bench
	flag.IntVar(&b.limit, "files", 2500, "most files of each group")
	flag.IntVar(&b.show, "show", 10, "most differences to print of each kind")
	flag.Uint64Var(&b.seed, "seed", 1, "seed of the sampling")
	flag.StringVar(&b.dir, "dir", os.TempDir()+"/fettle-bench-regions", "folder for downloads and builds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if started(ctx, flag.Args()) {
		return
	}
	if err := b.run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "regions:", err)
		os.Exit(1)
	}
}

// started does what the bench starts itself for, see speed.go.
func started(ctx context.Context, args []string) bool {
	var err error
	switch {
	case len(args) == 3 && args[0] == "worker":
		var in []byte
		if in, err = io.ReadAll(os.Stdin); err == nil {
			err = worker(ctx, args[1], args[2], in)
		}
	case len(args) > 1 && args[0] == "launch":
		err = launch(ctx, args[1:])
	default:
		return false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "regions:", err)
		os.Exit(1)
	}
	return true
}

func (b *bench) run(ctx context.Context, parts []string) error {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return fmt.Errorf("make the bench's folder: %w", err)
	}
	if len(parts) == 0 {
		parts = []string{"recall", "syntax", "speed", "saving"}
	}
	fmt.Printf("%s\n\n", machine.Line())
	start := time.Now()
	for _, part := range parts {
		begin := time.Now()
		var err error
		switch part {
		case "recall":
			err = b.recall(ctx)
		case "syntax":
			err = b.syntax(ctx)
		case "speed":
			err = b.speed(ctx)
		case "saving":
			err = b.saving(ctx)
		default:
			err = fmt.Errorf("%w: %q is none of recall, syntax, speed, saving", errPart, part)
		}
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%s was stopped: %w", part, ctx.Err())
		case errors.Is(err, errPart):
			return err
		case err != nil:
			b.miss("%s: %v", part, err)
		}
		fmt.Printf("  (%s took %s)\n\n", part, time.Since(begin).Round(time.Second))
	}
	b.summary(time.Since(start))
	return nil
}
