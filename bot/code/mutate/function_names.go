package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

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
		if !slices.Contains(words, own) {
			continue
		}
		for i, other := range words {
			if other == own {
				continue
			}
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
		if slices.Contains(list, name) {
			return false
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
