package main

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/fettle-dev/fettle/bench/machine"
)

// figure is one line of the summary.
type figure struct {
	what, aim, is string
	met           bool
}

// figure writes a measured figure down beside what it should be.
func (b *bench) figure(what, aim string, met bool, format string, args ...any) {
	b.figures = append(b.figures, figure{what, aim, fmt.Sprintf(format, args...), met})
}

// miss writes down what could not be measured, once.
func (b *bench) miss(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.missing, text) {
		b.missing = append(b.missing, text)
		fmt.Fprintln(os.Stderr, "not measured:", text)
	}
}

// summary prints all figures, and what is missing.
func (b *bench) summary(took time.Duration) {
	fmt.Printf("Summary (%s, peak memory of this program %d MB, load now %s)\n", took.Round(time.Second), peak()>>10, machine.Load())
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "  figure\twanted\tmeasured\t")
	unmet := 0
	for _, f := range b.figures {
		mark := ""
		if !f.met {
			mark, unmet = "NOT MET", unmet+1
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", f.what, f.aim, f.is, mark)
	}
	_ = w.Flush()
	fmt.Printf("%d of %d figures are as wanted.\n", len(b.figures)-unmet, len(b.figures))
	for _, m := range b.missing {
		fmt.Println("not measured:", m)
	}
	fmt.Println("Measured by commands of their own: make bench-edits (10,000 sets of edits rolled back), make fuzz TIME=10m.")
}

// peak is the most memory that this process has held, in KiB.
func peak() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Maxrss
}
