package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// evenHanded are functions that give the same whichever argument comes first.
var evenHanded = map[string]bool{"max": true, "min": true, "gcd": true, "lcm": true, "hypot": true}

func argumentSwap(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	if name := fn.Text(); evenHanded[name[strings.LastIndexAny(name, ".:")+1:]] {
		return
	}
	for i := range args {
		for j := i + 1; j < len(args) && j < i+4; j++ {
			a, b := args[i], args[j]
			if a.Kind() == "keyword_argument" || b.Kind() == "keyword_argument" || a.Text() == b.Text() || strings.Contains(a.Kind()+b.Kind(), "splat") || strings.Contains(a.Kind()+b.Kind(), "spread") || variadic(b) || isTypeNode(a) {
				continue
			}
			w := 1.0
			if j > i+1 {
				w = 0.3
			}
			text := b.Text() + string(s.src[a.End():b.Start()]) + a.Text()
			s.put(a.Start(), b.End(), text, w, "Swap the arguments %s and %s.", one(a.Text()), one(b.Text()))
		}
	}
}

func isTypeNode(n code.Node) bool {
	return strings.HasSuffix(n.Kind(), "_type") || n.Kind() == "type_identifier" || n.Kind() == "type_arguments" || n.Kind() == "variadic_argument"
}

func variadic(n code.Node) bool { return n.Kind() == "variadic_argument" }

func argumentDrop(s *scene, n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || len(args) == 0 || len(args) == 1 && s.d.lang == golang {
		return
	}
	for i, a := range args {
		if variadic(a) || isTypeNode(a) {
			continue
		}
		start, end := a.Start(), a.End()
		switch {
		case i+1 < len(args):
			end = args[i+1].Start()
		case i > 0:
			start = args[i-1].End()
		default:
			start, end = list.Start()+1, list.End()-1
		}
		w := 0.3
		if a.Kind() == "keyword_argument" || i == len(args)-1 && len(args) > 1 {
			w = 1
		}
		s.put(start, end, "", w, "Call %s without %s.", one(fn.Text()), one(a.Text()))
	}
}

// argumentAdd passes one more value: a variable of the scope, or the keyword
// argument that another call in the file passes.
func argumentAdd(s *scene, n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || list.Tree() == nil || !strings.HasSuffix(list.Text(), ")") || len(args) > 5 {
		return
	}
	if len(args) > 0 && (args[0].Kind() == "generator_expression" || variadic(args[len(args)-1])) {
		return
	}
	if s.d.lang == golang && fn.Kind() != "selector_expression" && s.facts.arity[fn.Text()] == len(args) {
		return
	}
	sep := ", "
	at := list.End() - 1
	if len(args) == 0 {
		sep = ""
	} else {
		at = args[len(args)-1].End()
	}
	keyword := len(args) > 0 && args[len(args)-1].Kind() == "keyword_argument"
	if !keyword {
		done := 0
		for _, v := range s.facts.visible(n.Start()) {
			if v.kind == "module" || wordCount(list.Text(), v.name) > 0 || wordCount(fn.Text(), v.name) > 0 || done >= 12 {
				continue
			}
			done++
			w := 0.5
			if v.uses <= 1 {
				w = 4
			}
			s.put(at, at, sep+v.name, w, "Pass %s to %s too.", one(v.name), one(fn.Text()))
			if done > 6 && v.uses > 1 {
				continue
			}
			for _, arg := range args {
				s.put(arg.Start(), arg.Start(), v.name+", ", 0.4*w, "Pass %s to %s too, before %s.", one(v.name), one(fn.Text()), one(arg.Text()))
			}
		}
		if s.d.lang != golang {
			s.put(at, at, sep+"1", 0.1, "Pass 1 to %s too.", one(fn.Text()))
		}
	}
	if s.d.lang == py {
		short := fn.Text()[strings.LastIndexByte(fn.Text(), '.')+1:]
		for _, k := range keywords[short] {
			if !strings.Contains(list.Text(), strings.SplitN(k, "=", 2)[0]+"=") {
				s.put(at, at, sep+k, 1, "Call %s with %s.", one(short), k)
			}
		}
	}
	if s.d.lang == js && len(args) == 1 && fn.Text() == "parseInt" {
		s.put(at, at, ", 10", 2, "Read the number as decimal.")
	}
}

// keywords are arguments of Python's own functions that are often missing.
var keywords = map[string][]string{
	"sorted": {"reverse=True", "key=str.lower", "key=len"}, "sort": {"reverse=True", "key=str.lower", "key=len"},
	"max": {"default=0", "default=None", "key=len"}, "min": {"default=0", "default=None", "key=len"},
	"dumps": {"sort_keys=True", "ensure_ascii=False", "default=str"}, "enumerate": {"start=1"}, "zip": {"strict=True"},
	"makedirs": {"exist_ok=True"}, "mkdir": {"parents=True", "exist_ok=True"}, "open": {`encoding="utf-8"`}, "split": {"maxsplit=1"},
	"sum": {"start=0"}, "get": {"default=None"}, "round": {"ndigits=2"}, "rsplit": {"maxsplit=1"}, "next": {"default=None"},
}
