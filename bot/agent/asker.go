package agent

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// Asker answers a question about a repository's code from regions of it, and
// lets nothing stand as a citation that cannot be looked up.
type Asker struct{ role }

// Question is what is asked, and what the model sees for it.
type Question struct {
	Text     string
	Tier     task.Tier
	Places   []Place               // whole, the likeliest first
	Others   []string              // places that are not shown, a line each
	MaxBytes int                   // of the prompt's user part
	Lines    func(path string) int // of a file that may be cited; 0: there is none
}

// Cited is a place that an answer names.
type Cited struct {
	Path  string `json:"path"`
	Start int    `json:"start_line"`
	End   int    `json:"end_line"`
}

func (c Cited) String() string {
	if c.Start == c.End {
		return fmt.Sprintf("%s:%d", c.Path, c.Start)
	}
	return fmt.Sprintf("%s:%d-%d", c.Path, c.Start, c.End)
}

// Explained is an answer with its citations, each once.
type Explained struct {
	Text    string   // places that do not exist are marked in it
	Cited   []Cited  // they exist
	Unknown []string // those that do not
	Reply   model.Reply
}

const askTokens = 700

// Request is the one call that Ask makes, for whoever wants its price first.
func (a *Asker) Request(q Question) (model.Request, error) {
	data := func() any {
		v := newView()
		v.Task.Title, v.Shown.Left = foreign(q.Text), foreigns(q.Others)
		var texts []Text
		for _, p := range q.Places {
			texts = append(texts, Text{Path: p.Path, Start: p.Region.StartLine, End: p.Region.EndLine, Code: numbered(p.Code, p.Region.StartLine)})
		}
		v.Shown.Code = textsOf(texts)
		return v
	}
	less := func(int) bool {
		switch n := len(q.Places); {
		case n > 1:
			q.Places = q.Places[:n-1]
		case len(q.Others) > 0:
			q.Others = q.Others[:len(q.Others)/2]
		default:
			return false
		}
		return true
	}
	req, err := a.request("ask", q.MaxBytes, data, less)
	req.Tier, req.Agent, req.MaxTokens = q.Tier, "asker", askTokens
	return req, err
}

// Ask asks once. The error is ask's.
func (a *Asker) Ask(ctx context.Context, ask Ask, q Question) (Explained, error) {
	req, err := a.Request(q)
	if err != nil {
		return Explained{}, err
	}
	reply, err := ask(ctx, req)
	if err != nil {
		return Explained{}, err
	}
	e := cited(strings.TrimSpace(answer.Spoken(reply.Text)), q.Lines)
	e.Reply = reply
	return e, nil
}

func numbered(code string, first int) string {
	var b strings.Builder
	n := first
	for line := range strings.Lines(code) {
		fmt.Fprintf(&b, "%d  %s", n, line)
		n++
	}
	return b.String()
}

// citation is [path:line], [path:first-last], and what models make of it: a back
// quote around it, an L before a number, several with commas.
var (
	citation = lazyregexp.New("\\[`?[^\\[\\]\n]+:L?\\d+[^\\[\\]\n]*\\]")
	place    = lazyregexp.New(`([^\s,;` + "`" + `\[\]]+):L?(\d+)(?:\s*[-–]\s*L?(\d+))?`)
)

// cited looks up what a text cites.
func cited(text string, lines func(path string) int) Explained {
	var e Explained
	known := map[string]bool{}
	e.Text = citation.ReplaceAllStringFunc(text, func(all string) string {
		return place.ReplaceAllStringFunc(all, func(one string) string {
			m := place.FindStringSubmatch(one)
			c := Cited{Path: strings.TrimPrefix(m[1], "./")}
			c.Start, _ = strconv.Atoi(m[2]) // too large a number is no line either
			c.End, _ = strconv.Atoi(cmp.Or(m[3], m[2]))
			exists := c.Start >= 1 && c.Start <= c.End && c.End <= lines(c.Path)
			switch {
			case exists && !known[c.String()]:
				e.Cited = append(e.Cited, c)
			case !exists && !known[c.String()]:
				e.Unknown = append(e.Unknown, c.String())
			}
			known[c.String()] = true
			if !exists {
				return one + " (no such place)"
			}
			return one
		})
	})
	return e
}
