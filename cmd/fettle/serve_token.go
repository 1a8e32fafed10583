package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/web"
)

// tokenFlags make and take back tokens of the pages and the API.
type tokenFlags struct {
	name, revoke string
	operator     bool
	of           []string
}

func (t *tokenFlags) flags(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&t.name, "new-token", "", "make a token with this `NAME`, print it and end")
	fl.BoolVar(&t.operator, "operator", false, "the new token may act, beside looking")
	fl.StringArrayVar(&t.of, "of", nil, "an installation's id or `OWNER/NAME` that the new token sees (default: everything; may be given several times)")
	fl.StringVar(&t.revoke, "revoke-token", "", "take back the tokens with this `NAME` and end")
}

func (t *tokenFlags) asked() bool { return t.name != "" || t.revoke != "" }

func (t *tokenFlags) run(c *cobra.Command, p *parts) error {
	g := web.Grant{Name: t.name, Operator: t.operator, Scope: store.Scope{All: len(t.of) == 0}}
	for _, of := range t.of {
		id, err := strconv.ParseInt(of, 10, 64)
		switch {
		case err == nil && id > 0:
			g.Scope.Installations = append(g.Scope.Installations, id)
		case strings.Count(of, "/") == 1 && ownerOf(of) != "" && nameOf(of) != "":
			g.Scope.Repos = append(g.Scope.Repos, of)
		default:
			return usage("--of takes the id of an installation or OWNER/NAME, and got %q", of)
		}
	}
	db, err := p.openStore(c.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	if t.revoke != "" {
		n, err := db.DropLogins(c.Context(), store.LoginToken, "", t.revoke)
		if err == nil && n == 0 {
			err = usage("there is no token %q", t.revoke)
		}
		return err
	}
	token, err := web.NewToken(c.Context(), db, g)
	if err != nil {
		return usage("making a token: %w", err)
	}
	return printLine(c.OutOrStdout(), token)
}
