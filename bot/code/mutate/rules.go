package mutate

import (
	"embed"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/rule"
)

//go:embed rules/*.yml
var ruleFiles embed.FS

type parsedRules struct {
	list []rule.Rule
	err  error
}

// builtin are the rules that come with fettle. A test keeps them free of errors; a
// rule with one would only be left out.
var builtin = sync.OnceValue(func() parsedRules {
	var out parsedRules
	files, err := fs.Glob(ruleFiles, "rules/*.yml")
	out.err = err
	for _, file := range files {
		src, err := ruleFiles.ReadFile(file)
		if err == nil {
			var rules []rule.Rule
			rules, err = rule.Parse("bot/code/mutate/"+file, src)
			out.list = append(out.list, rules...)
		}
		out.err = errors.Join(out.err, err)
	}
	return out
})

// Rules are the rules that come with fettle, by file and place.
func Rules() ([]rule.Rule, error) {
	b := builtin()
	return slices.Clone(b.list), b.err
}

type compiledRules struct {
	set *rule.Set
	err error
}

// compiled holds the built-in rules of each family of languages, compiled once.
var compiled = map[int]func() compiledRules{py: compileOnce(code.Python), js: compileOnce(code.JavaScript), golang: compileOnce(code.Go)}

func compileOnce(lang code.Language) func() compiledRules {
	return sync.OnceValue(func() compiledRules {
		set, err := rule.Compile(lang, builtin().list)
		return compiledRules{set, err}
	})
}

// ruleOperators are the rules as rows of the table of operators.
func ruleOperators() []operator {
	var out []operator
	for _, r := range builtin().list {
		out = append(out, operator{name: r.Name, class: r.Class, share: r.Share, langs: maskOfWords(r.Languages)})
	}
	return out
}

func maskOfWords(words []string) int {
	mask := 0
	for _, w := range words {
		mask |= map[string]int{"python": py, "javascript": js, "go": golang}[w]
	}
	return mask
}

// applyRules makes the mutations of the rules whose pattern begins at a node. Rules
// are the last rows of the table.
func (s *scene) applyRules(n code.Node) {
	base := len(s.table) - s.ruled
	s.rules.Match(n, s, func(c rule.Change) {
		if s.op = base + c.Number; s.table[s.op].langs != 0 {
			s.put(c.Start, c.End, c.Text, c.Weight, "%s", c.Says)
		}
	})
}

// Role tells whether a node is one of rule.Roles.
func (s *scene) Role(role string, n code.Node) bool {
	switch role {
	case "value":
		return isValue(n)
	case "place":
		return isPlace(n)
	case "condition":
		return condOf(parentOf(n)) == n
	case "returned":
		return isReturned(n)
	case "constant":
		return isConstant(n)
	case "known":
		_, ok := s.facts.lookup(n.Text(), n.Start())
		return ok
	case "parameter":
		v, ok := s.facts.lookup(n.Text(), n.Start())
		return ok && v.kind == "param"
	case "statement":
		return isStatement(n) || n.Up() == "expression_statement" && isStatement(parentOf(n))
	case "last":
		st, ok := statementOf(n)
		return ok && s.lastInBlock(st)
	case "looped":
		_, ok := inLoop(n)
		return ok
	case "plain":
		return isPlain(n)
	case "leaving":
		return leaves(n)
	case "assigned":
		return assigned(n)
	case "callee":
		return isCallee(n, parentOf(n))
	case "joined":
		_, op, _, ok := binary(parentOf(n))
		return ok && op != n && isLogic(op.Text())
	case "foreign":
		return n.Kind() == "identifier" && !s.isVariable(n)
	case "truth":
		return s.isTruth(n)
	case "generator":
		fn, ok := enclosing(n)
		return ok && generates(fn)
	case "keyed":
		fn, ok := enclosing(n)
		return ok && (strings.Contains(fn.TextOf("name"), "key") || fn.TextOf("name") == "__lt__")
	case "async":
		fn, ok := enclosing(n)
		return ok && isAsync(fn)
	}
	return false
}

// Type is the rough type of a name, a field or a text; "" when it is not known.
func (s *scene) Type(n code.Node) string {
	if isString(n) {
		return map[bool]string{true: "string", false: "text"}[s.d.lang == golang]
	}
	return s.typeOfPlace(n)
}

// Imports tells whether the file imports a module of that name.
func (s *scene) Imports(name string) bool {
	if s.d.lang != py {
		return s.facts.imports[name]
	}
	yes, known := s.imported[name]
	if !known {
		yes = s.importsName(name)
		if s.imported == nil {
			s.imported = map[string]bool{}
		}
		s.imported[name] = yes
	}
	return yes
}

// importsName tells whether a file of Python imports a module, or a name from one.
func (s *scene) importsName(name string) bool {
	for line := range strings.Lines(string(s.src)) {
		if _, names, ok := strings.Cut(line, " import "); ok && strings.HasPrefix(line, "from ") && wordCount(names, name) > 0 {
			return true
		}
	}
	return s.moduleNamed(name)
}

// Values gives the values of one of rule.Generators.
func (s *scene) Values(generator string, args []string, at, of code.Node) []rule.Value {
	var out []rule.Value
	add := func(texts ...string) {
		for _, text := range texts {
			if !strings.Contains(text, "\n") {
				out = append(out, rule.Value{Text: text, Weight: 1})
			}
		}
	}
	switch generator {
	case "variables":
		for _, v := range s.facts.visible(at.Start()) {
			if v.name != at.Text() && v.name != of.Text() && (len(args) == 0 || slices.ContainsFunc(args, func(a string) bool { return a == v.typ || a == v.kind || a == v.kind+":"+v.typ })) {
				add(v.name)
			}
		}
	case "unread":
		for _, v := range s.facts.visible(at.Start()) {
			if v.uses <= 1 && v.kind != "module" && wordCount(at.Text(), v.name) == 0 {
				add(v.name)
			}
		}
	case "siblings":
		add(s.siblings(of.Text())...)
	case "integers":
		add(s.facts.ints...)
	case "texts":
		for _, c := range s.facts.strings {
			add(c.text)
		}
	case "wrappers":
		add(s.facts.around[of.Text()]...)
	}
	return out
}

// RuleChanges lists the changes that a set of rules makes of a file, with what the
// file tells.
func RuleChanges(t *code.Tree, set *rule.Set) []rule.Change {
	s := newScene(t, 0, len(t.Src))
	var out []rule.Change
	t.Walk(func(n code.Node) bool {
		set.Match(n, s, func(c rule.Change) { out = append(out, c) })
		return true
	})
	return out
}
