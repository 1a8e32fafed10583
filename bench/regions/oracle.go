package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed oracle.py
var pythonOracle string

//go:embed oracle.php
var phpOracle string

//go:embed oracle.rb
var rubyOracle string

//go:embed oracle.js
var scriptOracle string

// def is one definition: kind, name, first and last line.
type def struct {
	kind, name string
	start, end int
}

// verdict is what a language's own tool says of a file.
type verdict struct {
	File   string  `json:"file"`
	Error  *string `json:"error"`
	Code   int     `json:"code"`
	Broken bool    `json:"broken"` // the tool itself failed
	Defs   [][]any `json:"defs"`
	defs   []def
}

// ask has the tool of a group look at files.
func (b *bench) ask(ctx context.Context, group string, files []string, each func(verdict)) error {
	switch group {
	case "go":
		for _, f := range files {
			each(askGo(f))
		}
		return nil
	case "python":
		return askProcess(ctx, exec.CommandContext(ctx, "python3", "-c", pythonOracle), files, each)
	case "php":
		return askProcess(ctx, exec.CommandContext(ctx, "php", "-r", strings.TrimPrefix(phpOracle, "<?php\n")), files, each)
	case "ruby":
		return askProcess(ctx, exec.CommandContext(ctx, "ruby", "-W0", "-e", rubyOracle), files, each)
	case "c", "c++", "java", "rust":
		return askTags(ctx, group, files, each)
	}
	modules, err := b.npm(ctx)
	if err != nil {
		return err
	}
	script := filepath.Join(b.dir, "oracle.js")
	if err := os.WriteFile(script, []byte(scriptOracle), 0o644); err != nil {
		return fmt.Errorf("write the oracle: %w", err)
	}
	cmd := exec.CommandContext(ctx, "node", "--stack-size=4000", script, filepath.Join(modules, "typescript"))
	return askProcess(ctx, cmd, files, each)
}

// askProcess sends paths, one a line, and reads one verdict for each.
func askProcess(_ context.Context, cmd *exec.Cmd, files []string, each func(verdict)) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start an oracle: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start an oracle: %w", err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start an oracle: %w", err)
	}
	go func() {
		for _, f := range files {
			_, _ = io.WriteString(in, f+"\n")
		}
		_ = in.Close()
	}()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var v verdict
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return fmt.Errorf("read what the oracle says: %w", err)
		}
		for _, d := range v.Defs {
			start, _ := d[2].(float64)
			end, _ := d[3].(float64)
			v.defs = append(v.defs, def{d[0].(string), d[1].(string), int(start), int(end)})
		}
		each(v)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("the oracle %s: %w", cmd.Path, err)
	}
	return lines.Err()
}

// tagKinds are the definitions of a language as ctags calls them; those without a
// body, such as prototypes, are none.
var tagKinds = map[string]string{
	"c":    "function struct union enum typedef macro",
	"c++":  "function class struct union enum typedef namespace macro",
	"java": "class interface enum method annotation",
	"rust": "function method struct enum interface module typedef macro",
}

var operatorSign = regexp.MustCompile(`^operator (\W)`)

// askTags asks universal-ctags.
func askTags(ctx context.Context, group string, files []string, each func(verdict)) error {
	cmd := exec.CommandContext(ctx, "ctags", "--options=NONE", "--output-format=json", "--fields=+neKSt", "--language-force="+group, "--sort=no", "-f", "-", "-L", "-")
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(files, "\n")+"\n"), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("ask ctags: %w", err)
	}
	all := map[string]*verdict{}
	named := map[string]bool{} // struct tags that a typedef names anew
	type tag struct {
		Path, Name, Kind, Signature, Typeref string
		Line, End                            int
	}
	var tags []tag
	for line := range strings.Lines(string(out)) {
		var t tag
		if err := json.Unmarshal([]byte(line), &t); err != nil {
			return fmt.Errorf("read what ctags says: %w", err)
		}
		if tags = append(tags, t); t.Kind == "typedef" {
			_, ref, _ := strings.Cut(t.Typeref, ":")
			named[t.Path+" "+ref] = true
		}
	}
	for _, f := range files {
		all[f] = &verdict{File: f}
	}
	for _, t := range tags {
		plain := t.Kind == "macro" && t.Signature == "" && group != "rust"
		if v := all[t.Path]; v != nil && !plain && !strings.HasPrefix(t.Name, "__anon") && !named[t.Path+" "+t.Name] && slices.Contains(strings.Fields(tagKinds[group]), t.Kind) {
			switch {
			case t.Kind == "macro": // its end is often the line behind
				t.End = 0
			case t.Kind == "function" && t.Name == strings.ToUpper(t.Name) && (group == "c" || group == "c++"):
				t.Name = "" // TEST(Suite, name) {…}, and regions are named after the arguments
			}
			v.defs = append(v.defs, def{t.Kind, operatorSign.ReplaceAllString(t.Name, "operator$1"), t.Line, t.End})
		}
	}
	for _, f := range files {
		each(*all[f])
	}
	return nil
}

// askGo lists with go/parser and go/ast what the other oracles list.
func askGo(path string) verdict {
	v := verdict{File: path}
	src, err := os.ReadFile(path)
	if err != nil {
		v.Broken = true
		return v
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, src, parser.SkipObjectResolution)
	if err != nil {
		text := err.Error()
		v.Error = &text
		return v
	}
	line := func(p token.Pos) int { return set.PositionFor(p, false).Line }
	add := func(kind, name string, n ast.Node) {
		v.defs = append(v.defs, def{kind, name, line(n.Pos()), line(n.End() - 1)})
	}
	statement := map[ast.Expr]ast.Node{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			kind := "function"
			if n.Recv != nil {
				kind = "method"
			}
			v.defs = append(v.defs, def{kind, n.Name.Name, line(n.Type.Pos()), line(n.End() - 1)})
		case *ast.GenDecl:
			goDeclaration(n, file, add, line, &v)
		case *ast.ExprStmt:
			statement[n.X] = n
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
				break
			}
			if _, ok := n.Rhs[0].(*ast.FuncLit); ok {
				add("function", n.Lhs[0].(*ast.Ident).Name, n)
			}
		case *ast.CallExpr:
			goRun(n, statement, add)
		}
		return true
	})
	return v
}

// goDeclaration adds types, and groups of constants and variables at the top.
func goDeclaration(n *ast.GenDecl, file *ast.File, add func(string, string, ast.Node), line func(token.Pos) int, v *verdict) {
	top := false
	for _, d := range file.Decls {
		top = top || d == ast.Decl(n)
	}
	for _, spec := range n.Specs {
		if t, ok := spec.(*ast.TypeSpec); ok {
			outer := ast.Node(t)
			if len(n.Specs) == 1 {
				outer = n
			}
			v.defs = append(v.defs, def{"type", t.Name.Name, line(outer.Pos()), line(outer.End() - 1)})
		}
	}
	if top && (n.Tok == token.CONST || n.Tok == token.VAR) && len(n.Specs) > 0 {
		add("block", n.Specs[0].(*ast.ValueSpec).Names[0].Name, n)
	}
}

// goRun adds t.Run("name", func(…) { … }).
func goRun(n *ast.CallExpr, statement map[ast.Expr]ast.Node, add func(string, string, ast.Node)) {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Run" || len(n.Args) < 2 {
		return
	}
	title, ok1 := n.Args[0].(*ast.BasicLit)
	_, ok2 := n.Args[len(n.Args)-1].(*ast.FuncLit)
	if !ok1 || !ok2 || title.Kind != token.STRING || len(title.Value) > 200 {
		return
	}
	name, _ := strconv.Unquote(title.Value)
	outer := ast.Node(n)
	if s, ok := statement[n]; ok {
		outer = s
	}
	add("test", strings.TrimSpace(name), outer)
}
