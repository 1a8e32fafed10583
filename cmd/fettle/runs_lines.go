package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func runsLog(g *global) *cobra.Command {
	var messages, effects bool
	c := &cobra.Command{
		Use: "log ID", Short: "Print a run's audit log as JSON lines",
		Long: "log prints every decision of the run, one JSON object a line; with --messages\nthe messages to and from the models instead, with --effects whatever came to the\nrun from outside: what checks found, what models answered, when. Secrets are\ntaken out of all of them.",
		Args: oneRun,
		RunE: func(c *cobra.Command, args []string) error {
			if messages && effects {
				return usage("--messages and --effects are two logs; ask for one")
			}
			if done, err := onServer(c, func(s *runsServer) error {
				if effects {
					return usage("--effects is not asked of a server; use it where its database is")
				}
				return s.log(c, args[0], messages)
			}); done {
				return err
			}
			return g.onRun(c, args[0], func(p *parts, db *store.Store, r task.Run) error {
				out := &lines{w: c.OutOrStdout(), funnel: p.funnel}
				switch {
				case effects:
					all, err := db.Effects(c.Context(), r.ID)
					return written(out, all, err)
				case messages:
					all, err := db.Messages(c.Context(), r.ID)
					return written(out, all, err)
				}
				return db.Decisions(c.Context(), r.ID, out)
			})
		},
	}
	c.Flags().BoolVar(&messages, "messages", false, "print the conversations instead")
	c.Flags().BoolVar(&effects, "effects", false, "print what came from outside instead, which a replay decides by")
	return c
}

// written writes each as a line.
func written[T any](out io.Writer, all []T, err error) error {
	if err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	for _, v := range all {
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("writing the log: %w", err)
		}
	}
	return nil
}

// lines passes JSON on without the secrets in it. Each write is a line or
// several.
type lines struct {
	w      io.Writer
	funnel *redact.Funnel
}

func (l *lines) Write(p []byte) (int, error) {
	if _, err := l.w.Write(l.funnel.JSON(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
