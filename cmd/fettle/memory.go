package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/memory/pattern"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func newMemory(g *global) *cobra.Command {
	c := &cobra.Command{
		Use:   "memory",
		Short: "Look at, correct, and roll back what repositories taught",
		Long: `What people merged, changed before they merged, and said in reviews of fettle's
pull requests is kept for each repository and used for its next issues. It is
never used for another repository. See docs/memory.md.`,
		Example: `  fettle memory list
  fettle memory stats --repo acme/shop
  fettle memory edit 3f2a91c0b1d2 "use errs.Wrap, not fmt.Errorf"
  fettle memory forget 3f2a91c0b1d2
  fettle memory versions
  fettle memory diff 3 5
  fettle memory rollback 3 --why "it proposes what we do not want"
  fettle memory export > shop.json
  fettle memory import shop.json`,
	}
	holdsCommands(c)
	m := &memoryFlags{g: g}
	c.PersistentFlags().StringVar(&m.repo, "repo", "", "the repository, as `OWNER/NAME` or a folder (default: the only one with lessons)")
	c.PersistentFlags().Int64Var(&m.installation, "installation", -1, "the GitHub App's installation `ID`, where a name stands for several")
	c.AddCommand(m.list(), m.stats(), m.edit(), m.forget(), m.versions(), m.diff(), m.rollback(), m.export(), m.importing())
	return c
}

type memoryFlags struct {
	g            *global
	repo         string
	installation int64
}

// open opens the store and finds the repository. known is false where nothing was
// learned of any that is meant.
func (m *memoryFlags) open(c *cobra.Command, do func(ctx context.Context, p *parts, l bot.Lessons, known bool) error) error {
	return m.g.onRuns(c, func(p *parts, db *store.Store) error {
		repo, known, err := m.find(c.Context(), db)
		if err != nil {
			return err
		}
		return do(c.Context(), p, bot.NewLessons(db, repo), known)
	})
}

func (m *memoryFlags) find(ctx context.Context, db *store.Store) (task.Repo, bool, error) {
	all, err := db.LessonRepos(ctx)
	if err != nil {
		return task.Repo{}, false, err
	}
	name := m.repo
	if owner, rest, ok := strings.Cut(name, "/"); name != "" && (!ok || owner == "" || owner == "." || owner == ".." || strings.Contains(rest, "/")) {
		if name, err = filepath.Abs(name); err != nil {
			return task.Repo{}, false, usage("finding %s: %w", m.repo, err)
		}
	}
	var fits []store.LessonRepo
	for _, r := range all {
		if (name == "" || r.Repo == name || !filepath.IsAbs(name) && strings.EqualFold(r.Repo, name)) && (m.installation < 0 || r.Installation == m.installation) {
			fits = append(fits, r)
		}
	}
	switch {
	case len(fits) == 1:
		return repoOf(fits[0].Repo, fits[0].Installation), true, nil
	case len(fits) == 0 && name == "":
		return task.Repo{}, false, nil
	case len(fits) == 0:
		return repoOf(name, max(0, m.installation)), false, nil
	}
	var names []string
	for _, r := range fits {
		names = append(names, fmt.Sprintf("--repo %s --installation %d", r.Repo, r.Installation))
	}
	return task.Repo{}, false, usage("several repositories have lessons; name one: %s", strings.Join(names, ", "))
}

// repoOf is the repository that a name of the store means.
func repoOf(name string, installation int64) task.Repo {
	if owner, rest, ok := strings.Cut(name, "/"); ok && owner != "" && !filepath.IsAbs(name) {
		return task.Repo{Installation: installation, Owner: owner, Name: rest}
	}
	return task.Repo{Installation: installation, Dir: name}
}

func (m *memoryFlags) list() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the lessons, the latest first", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return m.open(c, func(ctx context.Context, p *parts, l bot.Lessons, _ bool) error {
				b, err := l.Book(ctx)
				if err != nil {
					return err
				}
				all := b.Latest()
				if asJSON {
					return writeJSON(c.OutOrStdout(), nonNil(all))
				}
				if len(all) == 0 {
					return printLine(c.OutOrStdout(), "Nothing was learned yet: people have merged no change of fettle's, or said nothing of one.")
				}
				w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
				fmt.Fprintln(w, "ID\tKIND\tMERGED\tFIX\tLAST\tLESSON")
				for i := range all {
					x := &all[i]
					kind := string(x.Kind)
					if !x.Usable() {
						kind += " (not used)"
					}
					fmt.Fprintf(w, "%s\t%s\t%d of %d\t%s\t%s\t%s\n", x.ID, kind, x.Won, x.Tries, orDash(x.Fix), x.LastAt.Local().Format(time.DateOnly), p.funnel.Log(strings.Join(strings.Fields(x.Lesson().Words), " ")))
				}
				return w.Flush()
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

func (m *memoryFlags) stats() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "stats", Short: "Count what was tried, what people merged, and how much of it is generic", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return m.open(c, func(ctx context.Context, p *parts, l bot.Lessons, _ bool) error {
				b, err := l.Book(ctx)
				if err != nil {
					return err
				}
				s := b.Stats()
				if asJSON {
					return writeJSON(c.OutOrStdout(), s)
				}
				w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
				fmt.Fprintf(w, "lessons\t%d fixes, %d corrections, %d of advice; %d in use, %d wait for a merge\n", s.Fixes, s.Wrongs, s.Advice, s.Usable, s.Drafts)
				fmt.Fprintf(w, "attempts\t%d, %d green; generic: %.1f %%\n", s.Attempts, s.Green, 100*s.Share)
				fmt.Fprintf(w, "changes\t%d merged as they were, %d changed by people, %d closed, %d reverted\n", s.Merged, s.Changed, s.Closed, s.Reverted)
				fmt.Fprintf(w, "with lessons\t%d attempts; the run ended with %d of them\n", s.Used, s.Helped)
				if s.Strange > 0 {
					fmt.Fprintf(w, "unreadable\t%d entries, damaged or of a newer fettle: they are kept, and no run uses them\n", s.Strange)
				}
				for _, f := range s.ByFix {
					fmt.Fprintf(w, "  %s\t%d tried, %d green\n", p.funnel.Log(f.Fix), f.Tries, f.Green)
				}
				return w.Flush()
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

// change changes a lesson that has to be there.
func (m *memoryFlags) change(c *cobra.Command, id, why string, do func(*pattern.Book) (bool, error)) error {
	return m.open(c, func(ctx context.Context, _ *parts, l bot.Lessons, _ bool) error {
		v, err := l.Change(ctx, why, func(b *pattern.Book) error {
			known, err := do(b)
			if err == nil && !known {
				err = usage("there is no lesson %s; 'fettle memory list' shows them", id)
			}
			return err
		})
		if err != nil {
			return err
		}
		return tellVersion(c.OutOrStdout(), v, why)
	})
}

func tellVersion(w io.Writer, version int, what string) error {
	if version == 0 {
		return printLine(w, "Nothing is other than before.")
	}
	return printf(w, "v%02d: %s\n", version, what)
}

func (m *memoryFlags) edit() *cobra.Command {
	return &cobra.Command{
		Use: "edit ID WORDS", Short: "Give a lesson other words",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 || strings.TrimSpace(args[1]) == "" {
				return usage("%s takes the id of a lesson and its new words, in quotes", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return m.change(c, args[0], "lesson "+args[0]+" was edited", func(b *pattern.Book) (bool, error) {
				known, err := b.Edit(args[0], args[1])
				if err != nil {
					err = usage("%w", err)
				}
				return known, err
			})
		},
	}
}

func (m *memoryFlags) forget() *cobra.Command {
	return &cobra.Command{
		Use: "forget ID", Short: "Take a lesson out", Args: takes(1, 1, "the id of one lesson; see 'fettle memory list'"),
		RunE: func(c *cobra.Command, args []string) error {
			return m.change(c, args[0], "lesson "+args[0]+" was taken out", func(b *pattern.Book) (bool, error) { return b.Forget(args[0]), nil })
		},
	}
}

func (m *memoryFlags) versions() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "versions", Short: "List the versions that are kept, the newest first", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return m.open(c, func(ctx context.Context, p *parts, l bot.Lessons, _ bool) error {
				all, err := l.Versions(ctx)
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(c.OutOrStdout(), nonNil(all))
				}
				w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
				fmt.Fprintln(w, "VERSION\tMADE\tROWS\tWHY")
				for _, v := range all {
					fmt.Fprintf(w, "v%02d\t%s\t%d\t%s\n", v.Number, v.MadeAt.Local().Format(time.DateTime), v.Lessons, p.funnel.Log(v.Why))
				}
				return w.Flush()
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

// numbered reads a version: 3, v3 or v03.
func numbered(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	if err != nil || n < 0 {
		return 0, usage("%q is no version; 'fettle memory versions' lists them, and 0 is the empty one", s)
	}
	return n, nil
}

func (m *memoryFlags) diff() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "diff FROM [TO]", Short: "Compare two versions, or one with what stands",
		Args: takes(1, 2, "one version or two; see 'fettle memory versions'"),
		RunE: func(c *cobra.Command, args []string) error {
			return m.open(c, func(ctx context.Context, p *parts, l bot.Lessons, _ bool) error {
				from, err := numbered(args[0])
				if err != nil {
					return err
				}
				was, err := l.At(ctx, from)
				if err != nil {
					return missingVersion(err)
				}
				now, err := other(ctx, l, args[1:])
				if err != nil {
					return missingVersion(err)
				}
				d := pattern.Diff(was, now)
				if asJSON {
					return writeJSON(c.OutOrStdout(), d)
				}
				w := c.OutOrStdout()
				line := func(mark string, x pattern.Pattern) {
					fmt.Fprintf(w, "%s %s %s %d of %d: %s\n", mark, x.ID, x.Kind, x.Won, x.Tries, p.funnel.Log(strings.Join(strings.Fields(x.Lesson().Words), " ")))
				}
				for _, x := range d.Removed {
					line("-", x)
				}
				for _, x := range d.Changed {
					line("<", x.Before)
					line(">", x.After)
				}
				for _, x := range d.Added {
					line("+", x)
				}
				if len(d.Removed)+len(d.Changed)+len(d.Added) == 0 {
					fmt.Fprintln(w, "The lessons are the same.")
				}
				return nil
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

// other is the version that is named, or what stands.
func other(ctx context.Context, l bot.Lessons, named []string) (*pattern.Book, error) {
	if len(named) == 0 {
		return l.Book(ctx)
	}
	to, err := numbered(named[0])
	if err != nil {
		return nil, err
	}
	return l.At(ctx, to)
}

func missingVersion(err error) error {
	if errors.Is(err, store.ErrNoVersion) {
		return &exitError{exitUsage, err}
	}
	return err
}

func (m *memoryFlags) rollback() *cobra.Command {
	var why string
	c := &cobra.Command{
		Use: "rollback VERSION", Short: "Go back to a version; 0 forgets everything",
		Args: takes(1, 1, "one version; see 'fettle memory versions'"),
		RunE: func(c *cobra.Command, args []string) error {
			to, err := numbered(args[0])
			if err != nil {
				return err
			}
			return m.open(c, func(ctx context.Context, _ *parts, l bot.Lessons, _ bool) error {
				v, err := l.Rollback(ctx, to, why)
				if err != nil {
					return missingVersion(err)
				}
				return tellVersion(c.OutOrStdout(), v, fmt.Sprintf("what stood in v%02d stands again", to))
			})
		},
	}
	c.Flags().StringVar(&why, "why", "asked for at the command line", "the reason, for the list of versions")
	return c
}

func (m *memoryFlags) export() *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "Write all that a repository taught as JSON to standard output", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return m.open(c, func(ctx context.Context, _ *parts, l bot.Lessons, known bool) error {
				if !known {
					return usage("nothing was learned that could be exported")
				}
				raw, err := l.Export(ctx)
				if err != nil {
					return err
				}
				_, err = c.OutOrStdout().Write(raw)
				return err
			})
		},
	}
}

// mostImport bounds an import, in bytes.
const mostImport = 256 << 20

func (m *memoryFlags) importing() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Put an export of the same repository in the place of what there is",
		Args: takes(1, 1, "one file, or - for standard input"),
		RunE: func(c *cobra.Command, args []string) error {
			in := c.InOrStdin()
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return usage("opening the export: %w", err)
				}
				defer f.Close()
				in = f
			}
			raw, err := io.ReadAll(io.LimitReader(in, mostImport+1))
			if err != nil {
				return fmt.Errorf("reading the export: %w", err)
			}
			if len(raw) > mostImport {
				return refused(fmt.Errorf("the export has more than %d bytes", mostImport))
			}
			return m.open(c, func(ctx context.Context, _ *parts, l bot.Lessons, known bool) error {
				if !known && m.repo == "" {
					return usage("name the repository that the export is of with --repo, and --installation for one of the GitHub App")
				}
				v, err := l.Import(ctx, raw)
				var notOurs *pattern.Refused
				if errors.As(err, &notOurs) {
					return refused(err)
				}
				if err != nil {
					return err
				}
				return tellVersion(c.OutOrStdout(), v, "imported")
			})
		},
	}
}
