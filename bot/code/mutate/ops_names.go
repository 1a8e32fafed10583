package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// isValue tells a name that is read as a value: not declared, assigned,
// called, imported, a keyword or a type.
func isValue(n code.Node) bool {
	switch n.Kind() {
	case "attribute", "member_expression", "selector_expression":
		return !isCallee(n, parentOf(n)) && !assigned(n) && n.Up() != "decorator"
	case "call", "call_expression", "subscript", "subscript_expression", "index_expression":
		return !assigned(n)
	case "identifier":
	default:
		return false
	}
	p := parentOf(n)
	switch p.Kind() {
	case "function_definition", "class_definition", "parameters", "lambda_parameters", "default_parameter", "typed_parameter",
		"typed_default_parameter", "list_splat_pattern", "dictionary_splat_pattern", "import_statement", "import_from_statement",
		"dotted_name", "aliased_import", "global_statement", "nonlocal_statement", "as_pattern_target", "type", "decorator", "named_expression",
		"formal_parameters", "function_declaration", "class_declaration", "class_heritage", "rest_pattern", "array_pattern", "import_specifier",
		"import_clause", "namespace_import", "export_specifier", "labeled_statement", "catch_clause", "method_definition", "required_parameter",
		"optional_parameter", "pattern_list", "tuple_pattern", "list_pattern", "delete_statement", "except_clause",
		"parameter_declaration", "variadic_parameter_declaration", "const_spec", "type_spec", "break_statement", "continue_statement",
		"label_name", "enum_assignment", "enum_body", "new_expression", "type_query", "class", "function_expression", "generic_type",
		"case_pattern", "keyword_pattern", "class_pattern", "splat_pattern":
		if p.Kind() == "default_parameter" || p.Kind() == "typed_default_parameter" {
			return n.Field() == "value"
		}
		return p.Kind() == "named_expression" && n.Field() == "value" || p.Kind() == "required_parameter" && n.Field() == "value"
	case "keyword_argument":
		return n.Field() == "value"
	case "pair_pattern":
		return false
	case "variable_declarator", "pair", "var_spec", "assignment_pattern":
		return n.Field() == "value" || p.Kind() == "assignment_pattern" && n.Field() == "right"
	case "literal_element":
		return p.Field() == "value" || p.Field() == ""
	case "arrow_function":
		return n.Field() == "body"
	case "member_expression", "attribute", "selector_expression":
		return n.Field() == "object" || n.Field() == "operand"
	}
	return !isCallee(n, p) && !assigned(n)
}

// assigned tells the left side of an assignment or a loop.
func assigned(n code.Node) bool {
	if n.Field() == "left" {
		switch n.Up() {
		case "assignment", "augmented_assignment", "assignment_expression", "augmented_assignment_expression", "for_statement",
			"for_in_statement", "for_in_clause", "short_var_declaration", "assignment_statement", "range_clause":
			return true
		}
	}
	switch n.Up() {
	case "update_expression", "inc_statement", "dec_statement", "delete_statement":
		return true
	case "expression_list":
		p := parentOf(n)
		if p.Field() == "left" {
			return true
		}
	}
	return false
}

func wrongVariable(s *scene, n code.Node) {
	if n.Kind() != "identifier" || !isValue(n) {
		return
	}
	name := n.Text()
	own, known := s.facts.lookup(name, n.Start())
	if !known && name != "self" && name != "this" {
		// A name from elsewhere (a module, a builtin) that is no callee: only
		// where it is a plain value.
		if s.facts.imports[name] || name == "undefined" || name == "NaN" {
			return
		}
	}
	if name == "self" || name == "this" {
		return
	}
	st, _ := statementOf(n)
	stText := ""
	if st.Tree() != nil && st.EndLine() == st.Line() {
		stText = st.Text()
	}
	isObject := n.Field() == "object" || n.Field() == "operand" && n.Up() == "selector_expression"
	for _, v := range s.facts.visible(n.Start()) {
		if v.name == name || !fits(own.typ, v.typ) || s.d.lang == golang && isObject && own.typ != v.typ {
			continue
		}
		w := s.nameWeight(own, v, stText)
		s.put(n.Start(), n.End(), v.name, w, "Use the variable %s instead of %s.", one(v.name), one(name))
	}
}

// nameWeight is how likely v stands in the place of own.
func (s *scene) nameWeight(own, v variable, statement string) float64 {
	w := 1.0
	switch {
	case v.kind == "module" && own.kind != "module":
		w = 0.25
	case v.owner != own.owner:
		w = 0.6
	}
	if v.uses <= 1 && v.kind != "module" {
		w *= 5 // declared and never read: it is missing somewhere
	}
	if near(v.name, own.name) {
		w *= 2
	}
	if own.typ != "" && own.typ == v.typ {
		w *= 1.5
	}
	if own.name != "" && wordCount(statement, own.name) > 1 {
		w *= 1.5 // the same name twice in one statement
	}
	if wordCount(statement, v.name) > 0 {
		w *= 0.5
	}
	return w
}

// wordCount counts a name in a text, as a whole word.
func wordCount(text, name string) int {
	count := 0
	for i := 0; ; {
		j := strings.Index(text[i:], name)
		if j < 0 || name == "" {
			return count
		}
		a, b := i+j, i+j+len(name)
		if (a == 0 || !wordByte(text[a-1])) && (b == len(text) || !wordByte(text[b])) {
			count++
		}
		i = b
	}
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func wrongField(s *scene, n code.Node) {
	object, name, ok := member(n)
	if !ok || isCallee(n, parentOf(n)) {
		return
	}
	target := 1.0
	if assigned(n) {
		target = 0.4
	}
	own := name.Text()
	if s.d.lang == golang && s.facts.imports[object.Text()] {
		return
	}
	seen := map[string]bool{own: true}
	for _, key := range s.facts.members {
		list := s.facts.fields[key]
		related := key == "."+object.Text()
		for _, f := range list {
			related = related || f == own && !strings.HasPrefix(key, ".")
		}
		if !related {
			continue
		}
		for _, f := range list {
			if seen[f] || !fits(s.facts.fieldType[own], s.facts.fieldType[f]) {
				continue
			}
			seen[f] = true
			w := target
			if near(f, own) {
				w *= 2
			}
			s.put(name.Start(), name.End(), f, w, "Use the field %s instead of %s.", one(f), one(own))
		}
	}
}

// fieldOrVariable reads self.x instead of x, and x instead of self.x.
func fieldOrVariable(s *scene, n code.Node) {
	self := map[int]string{py: "self", js: "this"}[s.d.lang]
	if s.d.lang == golang {
		fn, ok := n.Ancestor("method_declaration")
		if !ok {
			return
		}
		r, _ := fn.ChildByField("receiver")
		if kids := r.NamedChildren(); len(kids) == 1 {
			if name, ok := kids[0].ChildByField("name"); ok {
				self = name.Text()
			}
		}
	}
	if self == "" {
		return
	}
	if n.Kind() == "identifier" && (isValue(n) || assigned(n) && n.Up() != "short_var_declaration" && n.Field() == "left" && n.Up() != "for_statement") && s.facts.fieldSet[n.Text()] && n.Field() != "object" {
		if _, ok := n.Ancestor("class_definition", "class_declaration", "method_declaration"); ok && n.Text() != self && n.Up() != "pattern_list" {
			s.put(n.Start(), n.End(), self+"."+n.Text(), 1, "Use the field %s instead of the variable.", one(self+"."+n.Text()))
		}
	}
	if o, name, ok := member(n); ok && o.Text() == self && !isCallee(n, parentOf(n)) {
		if _, ok := s.facts.lookup(name.Text(), n.Start()); ok && !assigned(n) {
			s.put(n.Start(), n.End(), name.Text(), 1, "Use the variable %s instead of the field.", one(name.Text()))
		}
	}
}

func assignmentTarget(s *scene, n code.Node) {
	if n.Kind() != "identifier" || !assigned(n) || n.Field() != "left" && n.Up() != "expression_list" {
		return
	}
	switch n.Up() {
	case "for_statement", "for_in_statement", "for_in_clause", "short_var_declaration", "range_clause":
		return
	}
	if p := parentOf(n); p.Kind() == "expression_list" && p.Up() != "assignment_statement" {
		return
	}
	own, _ := s.facts.lookup(n.Text(), n.End())
	for _, v := range s.facts.visible(n.Start()) {
		if v.name != n.Text() && v.kind != "module" && fits(own.typ, v.typ) {
			s.put(n.Start(), n.End(), v.name, 1, "Assign to %s instead of %s.", one(v.name), one(n.Text()))
		}
	}
}

// pairs of functions that are taken for each other, by language.
var pairs = map[int][]string{
	py: {
		"append extend insert add", "lower upper title capitalize casefold", "lstrip rstrip strip", "startswith endswith", "min max", "floor ceil round trunc",
		"find rfind index", "split rsplit splitlines partition", "partition rpartition", "add discard remove", "any all", "pop popleft", "append appendleft",
		"keys values items", "match search fullmatch", "removeprefix removesuffix", "union intersection difference symmetric_difference",
		"issubset issuperset", "isdigit isalpha isalnum isnumeric", "update setdefault", "ljust rjust center", "encode decode", "loads dumps", "load dump",
		"heappush heappop", "bisect_left bisect_right", "sorted reversed list", "sum len max", "int float round", "zip zip_longest", "permutations combinations product",
		"isinstance issubclass", "hasattr getattr", "read readline readlines", "utcnow now", "str repr", "first last", "get pop", "put get", "acquire release",
		"start stop", "enter exit", "deepcopy copy", "days seconds total_seconds", "year month day", "hour minute second", "sin cos", "left right", "next prev",
		"difference_update intersection_update update", "minutes seconds hours days", "list tuple set", "set dict.fromkeys",
	},
	js: {
		"push unshift concat", "shift pop", "toLowerCase toUpperCase", "trim trimStart trimEnd", "startsWith endsWith includes", "min max", "floor ceil round trunc",
		"indexOf lastIndexOf", "some every", "find filter findLast", "find findIndex", "findIndex findLastIndex", "map filter flatMap forEach", "slice splice", "slice substring substr",
		"keys values entries", "add delete", "set delete", "parseInt parseFloat Number", "padStart padEnd", "replace replaceAll", "all allSettled race any",
		"sort toSorted", "reverse toReversed", "test exec", "match matchAll", "apply call bind", "stringify parse", "getDate getDay", "getMonth getDate",
		"getFullYear getYear", "getHours getUTCHours", "addEventListener removeEventListener", "encodeURI encodeURIComponent", "reduce reduceRight",
		"first last", "next prev", "isNaN isFinite", "has get", "resolve reject", "then catch", "log error", "charAt charCodeAt", "from of", "then finally",
	},
	golang: {
		"HasPrefix HasSuffix Contains EqualFold", "TrimLeft TrimPrefix TrimSpace TrimRight Trim", "TrimRight TrimSuffix", "TrimPrefix TrimSuffix", "Before After Equal",
		"Lock RLock", "Unlock RUnlock", "Min Max", "min max", "Floor Ceil Round Trunc", "Index LastIndex", "IndexByte LastIndexByte", "ToLower ToUpper ToTitle", "Split SplitN Fields SplitAfter",
		"Replace ReplaceAll", "Errorf Sprintf", "Print Println Printf", "Add Sub", "Add AddDate", "Done Wait Add", "ParseInt Atoi", "Inc Dec", "PushBack PushFront", "Front Back", "Next Prev", "Sort SortStable Stable",
		"Strings Ints", "Load Store", "Read ReadFull ReadAll", "Marshal Unmarshal MarshalIndent", "Itoa Quote", "Is As", "Seconds Minutes Hours", "Second Minute Hour Millisecond",
		"IsDigit IsLetter IsNumber", "IsUpper IsLower", "Encode Decode", "Search SearchInts", "Push Pop", "Fix Remove", "Query QueryRow Exec", "Slice SliceStable", "Background TODO",
		"ContainsAny Contains ContainsRune", "Sqrt Cbrt", "Join Clean Base Dir", "Abs Max", "Year Month Day", "YearDay Weekday", "UTC Local", "Unix UnixNano UnixMilli", "Now Since", "Delete Clone",
	},
}

func methodPair(s *scene, n code.Node) {
	fn, _, _, ok := call(n)
	name := fn
	if ok {
		if _, m, has := member(fn); has {
			name = m
		} else if fn.Kind() != "identifier" {
			return
		}
	} else if _, m, has := member(n); has && !isCallee(n, parentOf(n)) {
		name = m
	} else {
		return
	}
	own := name.Text()
	for _, group := range pairs[s.d.lang] {
		words := strings.Fields(group)
		for _, w := range words {
			if w != own {
				continue
			}
			for i, other := range words {
				if other != own {
					weight := 1.0
					if i > 1 {
						weight = 0.6
					}
					if !ok {
						weight *= 0.3
					}
					s.put(name.Start(), name.End(), other, weight, "Call %s instead of %s.", one(other), one(own))
				}
			}
			break
		}
	}
}

// functionName calls another function or method of the file in the place of
// one.
func functionName(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || n.Kind() == "new_expression" {
		return
	}
	if o, m, has := member(fn); has {
		for _, other := range s.facts.methods[o.Text()] {
			if other != m.Text() {
				s.put(m.Start(), m.End(), other, s.callWeight(other, m.Text(), len(args)), "Call the method %s instead of %s.", one(other), one(m.Text()))
			}
		}
		return
	}
	if fn.Kind() != "identifier" {
		return
	}
	done := 0
	for _, other := range s.facts.callNames {
		if other == fn.Text() || s.facts.arity[other] != len(args) || strings.ContainsAny(other, "[]()") || done >= 20 || !s.isFunctionName(other) {
			continue
		}
		done++
		s.put(fn.Start(), fn.End(), other, s.callWeight(other, fn.Text(), len(args)), "Call %s instead of %s.", one(other), one(fn.Text()))
	}
}

// isFunctionName tells a name that is called plainly somewhere in the file.
func (s *scene) isFunctionName(name string) bool {
	for _, list := range s.facts.methods {
		for _, m := range list {
			if m == name {
				return false
			}
		}
	}
	return true
}

func (s *scene) callWeight(other, own string, args int) float64 {
	w := 0.5
	if s.facts.arity[other] == args {
		w = 1
	}
	if near(other, own) {
		w *= 2
	}
	return w
}

func argumentSwap(s *scene, n code.Node) {
	_, args, _, ok := call(n)
	if !ok {
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

func indexBound(s *scene, n code.Node) {
	if object, index, ok := element(n); ok {
		s.step(index, 1)
		switch index.Text() {
		case "0":
			if s.d.lang == py {
				s.put(index.Start(), index.End(), "-1", 1.5, "Take the last element instead of the first.")
			} else {
				length := map[int]string{js: object.Text() + ".length - 1", golang: "len(" + object.Text() + ")-1"}[s.d.lang]
				s.put(index.Start(), index.End(), length, 1.5, "Take the last element instead of the first.")
			}
		case "-1", "len(" + object.Text() + ")-1", object.Text() + ".length - 1", "len(" + object.Text() + ") - 1":
			s.put(index.Start(), index.End(), "0", 1.5, "Take the first element instead of the last.")
		}
		if s.d.lang != golang && index.Kind() == "identifier" {
			length := map[int]string{py: "len(" + object.Text() + ")", js: object.Text() + ".length"}[s.d.lang]
			s.put(index.Start(), index.End(), index.Text()+" % "+length, 0.2, "Wrap the index at the end.")
		}
		return
	}
	switch n.Kind() {
	case "slice", "slice_expression":
		s.sliceBounds(n)
	case "call_expression":
		fn, args, _, ok := call(n)
		if !ok {
			return
		}
		if _, m, has := member(fn); has {
			switch m.Text() {
			case "slice", "substring", "splice", "charAt", "at":
				for _, a := range args {
					s.step(a, 1)
				}
				if m.Text() == "slice" && len(args) == 1 {
					s.put(args[0].Start(), args[0].End(), "0, "+args[0].Text(), 0.6, "Take the part before the index.")
				}
			}
		}
	}
}

func (s *scene) sliceBounds(n code.Node) {
	var bounds []code.Node
	colon := -1
	for _, c := range n.Children() {
		if c.Text() == ":" && colon < 0 {
			colon = c.Start()
		} else if c.Named() && c.Field() != "operand" && !c.IsExtra() {
			bounds = append(bounds, c)
		}
	}
	for _, b := range bounds {
		s.step(b, 1)
		if !isInteger(b) || b.Text() != "0" {
			s.put(b.Start(), b.End(), "", 0.7, "Leave out the bound %s.", one(b.Text()))
		}
	}
	if colon < 0 || len(bounds) != 1 {
		return
	}
	b := bounds[0]
	if b.Start() > colon { // [:x] -> [x:]
		s.put(colon, b.End(), b.Text()+":", 0.8, "Take the part after %s instead of before it.", one(b.Text()))
		s.put(colon, colon, "1", 0.8, "Begin the slice at 1.")
	} else {
		s.put(b.Start(), colon+1, ":"+b.Text(), 0.8, "Take the part before %s instead of after it.", one(b.Text()))
		if s.d.lang == py {
			s.put(colon+1, colon+1, "-1", 0.8, "End the slice before the last element.")
		}
	}
}

func callWrap(s *scene, n code.Node) {
	s.foldCase(n)
	if !isValue(n) || n.Field() == "object" || n.Field() == "operand" && n.Up() == "selector_expression" || len(n.Text()) > 80 || strings.Contains(n.Text(), "\n") {
		return
	}
	if k := n.Kind(); k == "subscript" && assigned(n) || n.Up() == "delete_statement" || n.Up() == "defer_statement" || n.Up() == "go_statement" || n.Up() == "expression_statement" || n.Up() == "unary_expression" && s.d.lang == golang || n.Up() == "await" || n.Up() == "await_expression" {
		return
	}
	if p := parentOf(n); p.Kind() == "with_item" || p.Kind() == "raise_statement" || p.Kind() == "literal_element" || p.Kind() == "as_pattern" || p.Kind() == "shorthand_property_identifier" {
		return
	}
	text := n.Text()
	var typ string
	if v, ok := s.facts.lookup(text, n.Start()); ok {
		typ = v.typ
	}
	for _, fn := range s.facts.around[text] {
		if root, _, _ := strings.Cut(fn, "."); root != fn && s.facts.isVariable(root) {
			if _, here := s.facts.lookup(root, n.Start()); !here {
				continue
			}
		}
		s.put(n.Start(), n.End(), fn+"("+text+")", 3, "Use %s of %s, as elsewhere in the file.", one(fn), one(text))
	}
	for _, w := range wraps[s.d.lang] {
		if w.typ != "" && typ != "" && typ != w.typ || s.d.lang == golang && w.typ != typ || w.needs != "" && !s.facts.imports[w.needs] {
			continue
		}
		if !wrapPlace(n, w.typ) {
			continue
		}
		weight := 0.3
		if w.typ != "" && w.typ == typ {
			weight = 0.8
		}
		name := strings.Trim(w.form, "%().0123456789, ")
		if strings.Contains(string(s.src), name+"(") {
			weight *= 2
		}
		s.put(n.Start(), n.End(), strings.Replace(w.form, "%", text, 1), weight, "Use %s.", one(strings.Replace(w.form, "%", text, 1)))
	}
}

// foldCase compares two texts without regard to case, or to white space.
func (s *scene) foldCase(n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || isConstant(left) && !isString(left) || isConstant(right) && !isString(right) || strings.Contains(n.Text(), "\n") {
		return
	}
	switch op.Text() {
	case "==", "!=", "===", "!==", "in", "not in":
	default:
		return
	}
	if s.typeIs(left, "number", "list", "dict", "bool", "int", "float64") || s.typeIs(right, "number", "list", "dict", "bool", "int", "float64") {
		return
	}
	both := func(form string, w float64) {
		text := strings.ReplaceAll(form, "%", tight(left)) + " " + op.Text() + " " + strings.ReplaceAll(form, "%", tight(right))
		s.put(n.Start(), n.End(), text, w, "Compare %s.", one(text))
	}
	switch s.d.lang {
	case py:
		both("%.lower()", 0.8)
		both("%.strip()", 0.3)
	case js:
		both("%.toLowerCase()", 0.8)
		both("%.trim()", 0.3)
	case golang:
		if s.facts.imports["strings"] && (s.typeIs(left, "string") || s.typeIs(right, "string") || isString(right)) {
			not := map[bool]string{true: "!", false: ""}[op.Text() == "!="]
			text := not + "strings.EqualFold(" + left.Text() + ", " + right.Text() + ")"
			s.put(n.Start(), n.End(), text, 1, "Compare without regard to case.")
			both("strings.ToLower(%)", 0.5)
		}
	}
}

// wrapPlace tells whether a call that makes sense for a type is likely to be
// missing at a place.
func wrapPlace(n code.Node, typ string) bool {
	up := n.Up()
	switch up {
	case "return_statement", "argument_list", "arguments", "assignment", "variable_declarator", "assignment_expression", "expression_list", "pair":
		return true
	case "comparison_operator", "subscript", "subscript_expression", "index_expression", "interpolation":
		return typ != "list" && typ != "dict"
	case "for_statement", "for_in_statement", "for_in_clause", "range_clause":
		return typ == "list" || typ == "dict" || typ == ""
	case "binary_operator", "binary_expression":
		return typ == "number" || typ == "" || typ == "int" || typ == "float64" || up == "binary_expression" && (typ == "text" || typ == "string")
	}
	return false
}

// wrap is a call around a value; % stands for the value.
type wrap struct{ form, typ, needs string }

var wraps = map[int][]wrap{
	py: {
		{"%.strip()", "text", ""}, {"%.lower()", "text", ""}, {"%.upper()", "text", ""}, {"str(%)", "", ""}, {"int(%)", "", ""}, {"abs(%)", "number", ""},
		{"float(%)", "", ""}, {"len(%)", "", ""}, {"list(%)", "list", ""}, {"sorted(%)", "list", ""}, {"set(%)", "list", ""}, {"reversed(%)", "list", ""},
		{"round(%, 2)", "number", ""}, {"bool(%)", "", ""}, {"tuple(%)", "list", ""}, {"max(%, 0)", "number", ""}, {"%.items()", "dict", ""}, {"%.values()", "dict", ""},
		{"enumerate(%)", "list", ""}, {"math.ceil(%)", "number", "import math"},
	},
	js: {
		{"%.trim()", "text", ""}, {"%.toLowerCase()", "text", ""}, {"%.toUpperCase()", "text", ""}, {"String(%)", "", ""}, {"Number(%)", "", ""}, {"Math.abs(%)", "number", ""},
		{"parseInt(%, 10)", "", ""}, {"%.length", "", ""}, {"Math.round(%)", "number", ""}, {"Math.floor(%)", "number", ""}, {"Math.max(%, 0)", "number", ""}, {"Boolean(%)", "", ""},
		{"new Set(%)", "list", ""}, {"Object.keys(%)", "dict", ""}, {"Object.values(%)", "dict", ""}, {"Object.entries(%)", "dict", ""}, {"%.slice().sort()", "list", ""},
	},
	golang: {
		{"strings.TrimSpace(%)", "string", "strings"}, {"strings.ToLower(%)", "string", "strings"}, {"strings.ToUpper(%)", "string", "strings"},
		{"max(%, 0)", "int", ""}, {"[]rune(%)", "string", ""}, {"math.Abs(%)", "float64", "math"}, {"math.Round(%)", "float64", "math"}, {"math.Ceil(%)", "float64", "math"}, {"math.Floor(%)", "float64", "math"},
		{"float64(%)", "int", ""}, {"int(%)", "float64", ""}, {"len(%)", "string", ""}, {"filepath.Clean(%)", "string", "filepath"},
	},
}

func callUnwrap(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || n.Up() == "expression_statement" || n.Up() == "defer_statement" || n.Up() == "go_statement" {
		return
	}
	isPackage := func(o code.Node) bool { return s.d.lang == golang && s.facts.imports[o.Text()] }
	if o, _, has := member(fn); has && len(args) == 0 && o.Text() != "super()" && !isPackage(o) {
		s.put(n.Start(), n.End(), o.Text(), 1, "Use %s itself.", one(o.Text()))
	}
	if len(args) == 1 && args[0].Kind() != "keyword_argument" && isExpression(args[0]) {
		text := args[0].Text()
		if n.Up() != "argument_list" && n.Up() != "arguments" {
			text = tight(args[0])
		}
		if n.Field() == "object" && isInteger(args[0]) {
			return
		}
		s.put(n.Start(), n.End(), text, 0.8, "Use %s without calling %s.", one(args[0].Text()), one(fn.Text()))
	}
}

func callParentheses(s *scene, n code.Node) {
	if fn, args, list, ok := call(n); ok && len(args) == 0 && n.Kind() != "new_expression" && n.Up() != "decorator" {
		if n.Up() == "argument_list" || n.Up() == "arguments" || n.Up() == "pair" || n.Up() == "keyword_argument" {
			s.put(list.Start(), list.End(), "", 1, "Pass the function %s itself.", one(fn.Text()))
		}
		return
	}
	if n.Kind() != "attribute" && n.Kind() != "member_expression" && n.Kind() != "identifier" || !isValue(n) {
		return
	}
	if n.Kind() == "identifier" {
		if _, variable := s.facts.lookup(n.Text(), n.Start()); variable {
			return
		}
	}
	_, m, ok := member(n)
	if !ok {
		m = n
	}
	if _, called := s.facts.arity[m.Text()]; called && !s.facts.imports[n.Text()] {
		s.put(n.End(), n.End(), "()", 1, "Call %s.", one(n.Text()))
	}
}

func await(s *scene, n code.Node) {
	switch n.Kind() {
	case "await", "await_expression":
		if kids := n.NamedChildren(); len(kids) == 1 {
			s.put(n.Start(), n.End(), kids[0].Text(), 0.2, "Do not wait for %s.", one(kids[0].Text()))
		}
		return
	case "call", "call_expression":
	default:
		return
	}
	if n.Up() == "await" || n.Up() == "await_expression" {
		return
	}
	fn, ok := enclosing(n)
	if !ok || !strings.HasPrefix(fn.Text(), "async") {
		return
	}
	text := "await " + n.Text()
	switch n.Up() {
	case "return_statement", "expression_statement", "variable_declarator", "assignment", "assignment_expression", "argument_list", "arguments", "pair":
	default:
		text = "(" + text + ")"
	}
	s.put(n.Start(), n.End(), text, 1, "Wait for %s.", one(n.Text()))
}

func copyValue(s *scene, n code.Node) {
	if left, op, right, ok := binary(n); ok && s.d.lang == py && op.Text() == "*" && left.Kind() == "list" && len(left.NamedChildren()) == 1 {
		e := left.NamedChildren()[0].Text()
		s.put(n.Start(), n.End(), "["+e+" for _ in range("+right.Text()+")]", 2, "Make %s anew for each place.", one(e))
	}
	if !isValue(n) || strings.Contains(n.Text(), "\n") || len(n.Text()) > 60 {
		return
	}
	var where float64
	switch {
	case isReturned(n):
		where = 1
	case n.Up() == "assignment" || n.Up() == "variable_declarator" || n.Up() == "assignment_expression":
		where = 1
	case n.Up() == "expression_list" && s.d.lang == golang:
		where = 1
	case n.Up() == "argument_list" || n.Up() == "arguments":
		where = 0.3
	case n.Up() == "for_statement" || n.Up() == "for_in_statement":
		where = 0.5
	default:
		return
	}
	if n.Kind() == "call" || n.Kind() == "call_expression" || isElement(n) {
		where *= 0.2 // mostly new already, or no container
	}
	text := n.Text()
	typ := ""
	if v, ok := s.facts.lookup(text, n.Start()); ok {
		typ = v.typ
	}
	if typ == "number" || typ == "text" || typ == "bool" || typ == "int" || typ == "string" || typ == "error" {
		return
	}
	put := func(form string, w float64) {
		s.put(n.Start(), n.End(), strings.ReplaceAll(form, "%", text), w*where, "Use a copy of %s.", one(text))
	}
	switch s.d.lang {
	case py:
		put("list(%)", 1)
		put("dict(%)", 1)
		put("%.copy()", 0.6)
		if src := string(s.src); strings.Contains(src, "import copy") {
			put("copy.deepcopy(%)", 1)
		} else if strings.Contains(src, "import deepcopy") {
			put("deepcopy(%)", 2)
		}
	case js:
		put("[...%]", 1)
		put("{ ...% }", 1)
		put("structuredClone(%)", 0.4)
	case golang:
		if _, m, ok := member(n); ok && typ == "" {
			typ = s.facts.fieldType[m.Text()]
		}
		if strings.HasPrefix(typ, "[]") {
			put("append("+typ+"(nil), %...)", 1)
		}
		if strings.HasPrefix(typ, "map[") && s.facts.imports["maps"] {
			put("maps.Clone(%)", 1)
		}
	}
}

func isElement(n code.Node) bool {
	switch n.Kind() {
	case "subscript", "subscript_expression", "index_expression":
		return true
	}
	return false
}
