package command

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestS3CommandsOfTheGrammar(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Command{
		"/fettle fix":                          {Name: "fix"},
		"/fettle fix look at  parse()":         {Name: "fix", Hint: "look at  parse()"},
		"/Fettle FIX Look":                     {Name: "fix", Hint: "Look"},
		"/fettle\tfix\u00a0x":                  {Name: "fix", Hint: "x"},
		"/fettle fix --base v2.x look at f":    {Name: "fix", Hint: "look at f"},
		"/fettle fix --base=release/1":         {Name: "fix"},
		"/fettle fix --base":                   {Name: "fix", Problem: "?"},
		"/fettle fix --base ../x":              {Name: "fix", Problem: "?"},
		"/fettle fix --based on this":          {Name: "fix", Hint: "--based on this"},
		"/fettle plan":                         {Name: "plan"},
		"/fettle approve":                      {Name: "approve"},
		"/fettle approve step 2":               {Name: "approve", Step: 2},
		"/fettle approve everything":           {Name: "approve", Problem: "?"},
		"/fettle approve step":                 {Name: "approve", Problem: "?"},
		"/fettle approve step 0":               {Name: "approve", Problem: "?"},
		"/fettle approve step 2 and 3":         {Name: "approve", Step: 2, Problem: "?"},
		"/fettle reject too wide":              {Name: "reject", Hint: "too wide"},
		"/fettle reject step 3 too wide":       {Name: "reject", Step: 3, Hint: "too wide"},
		"/fettle reject step back, think":      {Name: "reject", Hint: "step back, think"},
		"/fettle reject":                       {Name: "reject", Problem: "?"},
		"/fettle reject step 3":                {Name: "reject", Step: 3, Problem: "?"},
		"/fettle retry":                        {Name: "retry"},
		"/fettle retry --tier tier2":           {Name: "retry", Tier: "tier2"},
		"/fettle retry --tier=3":               {Name: "retry", Tier: "tier3"},
		"/fettle retry --tier Mechanical":      {Name: "retry", Tier: "mechanical"},
		"/fettle retry --tier 9":               {Name: "retry", Problem: "?"},
		"/fettle retry --max 9":                {Name: "retry", Problem: "?"},
		"/fettle stop":                         {Name: "stop"},
		"/fettle stop, please":                 {Name: "stop,"},
		"/fettle stop it now":                  {Name: "stop", Hint: "it now"},
		"/fettle resume":                       {Name: "resume", From: -1},
		"/fettle resume --from 0":              {Name: "resume", From: 0},
		"/fettle resume --from=4":              {Name: "resume", From: 4},
		"/fettle resume --from x":              {Name: "resume", From: -1, Problem: "?"},
		"/fettle resume --from 99999999999999": {Name: "resume", From: -1, Problem: "?"},
		"/fettle status":                       {Name: "status"},
		"/fettle explain":                      {Name: "explain"},
		"/fettle test":                         {Name: "test"},
		"/fettle test commit":                  {Name: "test", Commit: true},
		"/fettle test --Commit":                {Name: "test", Commit: true},
		"/fettle test comit":                   {Name: "test", Problem: "?"},
		"/fettle test commit now":              {Name: "test", Problem: "?"},
		"/fettle undo":                         {Name: "undo"},
		"/fettle release":                      {Name: "release"},
		"/fettle help":                         {Name: "help"},
		"/fettle":                              {Name: "help"},
		"/fettle fxi":                          {Name: "fxi"},
	} {
		all := Parse(in)
		if len(all) != 1 {
			t.Errorf("%q: %d commands", in, len(all))
			continue
		}
		got := all[0]
		if (got.Problem != "") != (want.Problem != "") {
			t.Errorf("%q: problem %q", in, got.Problem)
		}
		if got.Name != want.Name || got.Hint != want.Hint || got.Step != want.Step || got.Tier != want.Tier || got.Commit != want.Commit || got.Name == "resume" && got.From != want.From {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

func TestS4TheBaseOfACommand(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"/fettle fix --base v2.x look": "v2.x", "/fettle fix --base=release/1": "release/1", "/fettle plan --base dev": "dev", "/fettle fix look --base dev": ""} {
		if got := Parse(in)[0]; got.Base != want || !got.OK() {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

func TestS3WhereCommandsStand(t *testing.T) {
	t.Parallel()
	const c = "/fettle stop"
	for name, tc := range map[string]struct {
		text string
		n    int
	}{
		"alone":                         {c, 1},
		"after text":                    {"please\n" + c, 1},
		"several":                       {c + "\n/fettle fix\n" + c, 3},
		"CRLF":                          {"hi\r\n" + c + "\r\n", 1},
		"CR alone":                      {"hi\r" + c, 1},
		"byte order mark":               {"\uFEFF" + c, 1},
		"three blanks":                  {"   " + c, 1},
		"not at the start":              {"please " + c, 0},
		"another word":                  {"/fettlestop", 0},
		"a path":                        {"/fettle/stop", 0},
		"in a code span":                {"`" + c + "`", 0},
		"in a list":                     {"- " + c, 0},
		"four blanks":                   {"    " + c, 0},
		"tab":                           {"\t" + c, 0},
		"blank and tab":                 {" \t" + c, 0},
		"quote":                         {"> " + c, 0},
		"indented quote":                {"  >" + c, 0},
		"nested quote":                  {"> > " + c, 0},
		"after a quote":                 {"> old\n\n" + c, 1},
		"right after a quote":           {"> old\n" + c, 1},
		"fence":                         {"```\n" + c + "\n```", 0},
		"fence with a language":         {"```sh\n" + c + "\n```\n", 0},
		"tilde fence":                   {"~~~\n" + c + "\n~~~", 0},
		"after a fence":                 {"```\nx\n```\n" + c, 1},
		"fence never closed":            {"```\n" + c, 0},
		"longer fence":                  {"````\n```\n" + c + "\n````", 0},
		"closing with a language":       {"```\n```sh\n" + c + "\n```", 0},
		"tildes do not close backticks": {"```\n~~~\n" + c + "\n```", 0},
		"closing with blanks":           {"```\nx\n```  \n" + c, 1},
		"indented closing":              {"```\n    ```\n" + c + "\n```", 0},
		"fence in a list":               {"- x\n  ```\n" + c + "\n  ```\n", 0},
		"fence opened by a list item":   {"- ```\n" + c + "\n  ```\n" + c, 1},
		"fence in a numbered list":      {"1. ```\n" + c + "\n   ```", 0},
		"backticks in a line are none":  {"``` a ` b\n" + c, 1},
		"comment":                       {"<!-- " + c + " -->", 0},
		"comment over lines":            {"<!--\n" + c + "\n-->", 0},
		"after a comment":               {"<!-- x -->\n" + c, 1},
		"on the line that ends one":     {"<!--\n-->" + c, 0},
		"comment begun in a line":       {"see <!-- \n" + c + "\n-->", 0},
		"command, then comment":         {c + " <!-- x -->", 1},
		"comment never closed":          {"<!--\n" + c, 0},
		"arrow that is no comment":      {"a <!-- b\n" + c, 1},
		"two comments":                  {"<!-- a --> <!--\n" + c + "\n-->\n" + c, 1},
		"comment ends, another begins":  {"<!--\n--> <!--\n" + c + "\n-->", 0},
		"fence inside a comment":        {"<!--\n```\n-->\n" + c, 1},
		"pre":                           {"<pre>\n" + c + "\n</pre>", 0},
		"pre in capitals":               {"<PRE class=x>\n" + c + "\n</PRE>\n" + c, 1},
		"blockquote":                    {"<blockquote>\n\n" + c + "\n\n</blockquote>", 0},
		"a word that begins like a tag": {"<prefix>\n" + c, 1},
		"zero-width in front":           {"\u200b" + c, 0},
		"invalid bytes":                 {"\xff\n" + c + " \xff", 1},
		"empty":                         {"", 0},
		"line separator is no line end": {"x\u2028" + c, 0},
	} {
		if got := Parse(tc.text); len(got) != tc.n {
			t.Errorf("%s: %+v, want %d", name, got, tc.n)
		}
	}
}

func TestCommandKnowsItsLine(t *testing.T) {
	t.Parallel()
	got := Parse("a\r\n\r\n/fettle fix x <!-- hidden -->\n")
	if len(got) != 1 || got[0].Line != 3 || got[0].Hint != "x" {
		t.Errorf("%+v", got)
	}
}

func TestS3UnknownGetsTheNearest(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"fix": "fix", "fxi": "fix", "fixx": "fix", "FIX": "fix", "stopp": "stop", "sttop": "stop", "statsu": "status", "stat": "status",
		"hepl": "help", "aprove": "approve", "rety": "retry", "resum": "resume", "explian": "explain", "fixes": "fix", "undone": "undo",
		"banana": "", "": "", "x": "", strings.Repeat("fix", 1000): "",
	} {
		if got := Nearest(in); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
	c := Parse("/fettle fxi")[0]
	if a := c.Answer(); c.OK() || c.Known || !strings.Contains(a, "Did you mean `/fettle fix`?") {
		t.Errorf("%s", a)
	}
}

func TestS3EveryCommandOfTheHelpIsUnderstood(t *testing.T) {
	t.Parallel()
	for _, s := range known {
		c := Parse("/fettle " + s.Name + map[bool]string{true: " because"}[s.Name == "reject"])[0]
		if a := c.Answer(); !c.OK() || a != "" {
			t.Errorf("%s: %q", s.Name, a)
		}
		if !strings.Contains(Help(), "`"+s.Usage+"`") {
			t.Errorf("%s is not in the help:\n%s", s.Name, Help())
		}
	}
}

// TestS11AnswersAreNoCommands: fettle must not trigger itself, whatever stands
// in the command that it answers.
func TestS11AnswersAreNoCommands(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"/fettle x\u2028/fettle", "/fettle @everyone", "/fettle `x`", "/fettle approve /fettle fix", "/fettle <!--", "/fettle fxi"} {
		for _, c := range Parse(in) {
			a := c.Answer()
			if got := Parse(a); len(got) != 0 {
				t.Errorf("answer to %q commands: %+v", in, got)
			}
			if strings.ContainsAny(a, "@<") && c.Known == false && strings.Contains(a, "everyone") {
				t.Errorf("answer to %q repeats foreign text: %s", in, a)
			}
		}
	}
	if got := Parse(Help()); len(got) != 0 {
		t.Errorf("the help commands: %+v", got)
	}
}

func TestCommandsAreBounded(t *testing.T) {
	t.Parallel()
	if got := Parse(strings.Repeat("/fettle fix\n", 1000)); len(got) != maxCommands {
		t.Errorf("%d commands", len(got))
	}
	if got := Parse("/fettle " + strings.Repeat("ü", 10000)); len(got[0].Name) > maxName || got[0].Known {
		t.Errorf("name of %d bytes", len(got[0].Name))
	}
	if got := Parse("/fettle fix " + strings.Repeat("ä", 10000)); len(got[0].Hint) > maxHint || !utf8.ValidString(got[0].Hint) {
		t.Errorf("hint of %d bytes", len(got[0].Hint))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"/fettle fix x", "```\n/fettle fix\n```", "> /fettle", "<!--\n/fettle\n-->", "/fettle reject step 1 x", "- ```\n/fettle", "<pre>\n/fettle stop", "\t/fettle", "/fettle retry --tier=2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Parse(text)
		lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\uFEFF")), "\n")
		last := 0
		for _, c := range got {
			if c.Line <= last || c.Line > len(lines) {
				t.Fatalf("line %d after %d", c.Line, last)
			}
			last = c.Line
			line := lines[c.Line-1]
			if !strings.HasPrefix(strings.ToLower(strings.TrimLeft(line, " ")), "/fettle") || strings.HasPrefix(line, "    ") {
				t.Fatalf("a command in %q", line)
			}
			if !utf8.ValidString(c.Hint) || strings.ContainsAny(c.Hint+c.Name, "\n\r") || c.Name == "" {
				t.Fatalf("%+v", c)
			}
			if len(Parse(c.Answer())) != 0 {
				t.Fatalf("the answer to %q commands", line)
			}
			if c.OK() != (c.Answer() == "") {
				t.Fatalf("%+v answers %q", c, c.Answer())
			}
		}
		quoted := "> " + strings.Join(lines, "\n> ")
		if len(Parse(quoted)) != 0 {
			t.Fatalf("a quote commands: %q", quoted)
		}
		if indented := "    " + strings.Join(lines, "\n    "); len(Parse(indented)) != 0 {
			t.Fatalf("indented code commands: %q", indented)
		}
	})
}

func TestHostileTextIsReadInLinearTime(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"a <!--\n", "a <pre\n", "<!-- -->", "- ", "`", "```\n~~~\n", "<pre></pre>", "1. ", "</pre <!--"} {
		start := time.Now()
		Parse(strings.Repeat(unit, maxText/len(unit)))
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%q took %v", unit, d)
		}
	}
}
