package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/settings"
)

// pathFlag is a flag that names a file or a folder. It is made absolute where
// it comes in, so that whoever gets it, such as a server's worker or another
// program, reads it alike.
type pathFlag string

func (p *pathFlag) String() string { return string(*p) }
func (p *pathFlag) Type() string   { return "string" }
func (p *pathFlag) Set(s string) error {
	if s == "" || s == "-" { // nothing; standard input
		*p = pathFlag(s)
		return nil
	}
	abs, err := settings.Path(s, "")
	*p = pathFlag(abs)
	return err
}

func pathVar(c *cobra.Command, into *string, name, value, usage string) {
	*into = value
	c.Flags().Var((*pathFlag)(into), name, usage)
}

// scopeIn is what --scope names, seen from the repository's root.
func scopeIn(dir string, scope []string) ([]string, error) {
	var out []string
	for _, s := range scope {
		if s != "" && (s[0] == '~' || filepath.IsAbs(s)) {
			abs, err := settings.Path(s, dir)
			if err != nil {
				return nil, usage("--scope %s: %w", s, err)
			}
			rel, err := filepath.Rel(dir, abs)
			if err != nil || !filepath.IsLocal(rel) {
				return nil, usage("--scope %s is not in %s; give a path below it, such as src", s, dir)
			}
			s = "/" + filepath.ToSlash(rel)
		}
		out = append(out, s)
	}
	return out, nil
}
