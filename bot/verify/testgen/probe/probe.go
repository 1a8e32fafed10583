// Package probe is laid beside code under repair, inside the sandbox, and told
// of each call of its functions (Hooks). It does the calls again, on copies of
// their arguments as they are and on changed copies, and writes down what comes
// of each as text that can be compared between candidates; or, for tests that
// are made of them, it writes down the arguments as literals (Value) and what
// given calls come to (Observe). What it writes is never evidence.
package probe

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	calls, variants, probes = 12, 36, 700 // of a function, of a call, in all
	seconds                 = 3 * time.Second
	aCall                   = 150 * time.Millisecond
	maxLate                 = 2
)

// Record is a line of what is written: a probed call, or that a test ran a
// function.
type Record struct {
	Probe   string `json:"probe,omitempty"` // the call with its arguments
	Input   string `json:"input,omitempty"` // the same for a person
	Entry   bool   `json:"entry,omitempty"` // a test makes the call
	Spot    string `json:"spot,omitempty"`  // the function
	Outcome string `json:"outcome,omitempty"`
	After   string `json:"after,omitempty"` // the arguments afterwards
	Shared  string `json:"shared,omitempty"`
	Called  string `json:"called,omitempty"`
	Test    string `json:"test,omitempty"`
}

var state = struct {
	sync.Mutex
	out   *os.File
	until time.Time
	spots map[string]bool
	seen  map[string]bool
	count map[string]int // calls of a function
	spent map[string]int // probes of a function
	all   int
	late  int
}{seen: map[string]bool{}, count: map[string]int{}, spent: map[string]int{}, spots: map[string]bool{}}

func init() {
	name := os.Getenv("FETTLE_PROBE")
	if name == "" {
		return
	}
	for _, s := range strings.Split(os.Getenv("FETTLE_SPOTS"), "\n") {
		state.spots[s] = true
	}
	state.out, _ = os.Create(name)
	state.until = time.Now().Add(seconds)
}

// Seen is told of each call: the function, as "path:name" and as a value that can
// be called, and the arguments, a receiver first.
func Seen(spot string, function any, args ...any) {
	if state.out == nil || !state.TryLock() {
		return // not asked for, or the call is one of ours
	}
	defer state.Unlock()
	if literals {
		tell(spot, function, args)
		return
	}
	test, entry := caller()
	if !entry && !state.spots[spot] {
		return
	}
	if key := "run " + spot + " " + test; test != "" && !state.seen[key] {
		state.seen[key] = true
		say(Record{Called: spot, Test: test})
	}
	fn := reflect.ValueOf(function)
	if done(spot) || state.count[spot] >= calls || fn.Type().NumIn() != len(args) {
		return
	}
	values := make([]reflect.Value, len(args))
	words := make([]string, len(args))
	for i, a := range args {
		values[i] = reflect.New(fn.Type().In(i)).Elem()
		if a != nil {
			values[i].Set(reflect.ValueOf(a))
		}
		words[i] = show(values[i])
	}
	key := spot + "(" + strings.Join(words, ", ") + ")"
	if state.seen[key] {
		return
	}
	state.seen[key] = true
	state.count[spot]++
	n := 0
	around(values, func(what string, some []reflect.Value) bool {
		if done(spot) || n >= variants {
			return false
		}
		n++
		state.spent[spot]++
		state.all++
		once(fn, some, Record{Probe: short(key + " / " + what), Input: cut(cut(key, 150)+" / "+what, 200), Entry: entry, Spot: spot})
		return true
	})
}

func done(spot string) bool {
	return state.spent[spot] >= max(60, probes/(len(state.spots)+3)) || state.all >= probes || state.late >= maxLate || time.Now().After(state.until)
}

// caller is the test on whose behalf a function runs, and whether it called the
// function itself.
func caller() (test string, entry bool) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs)])
	for i := 0; ; i++ {
		f, more := frames.Next()
		if i == 0 {
			entry = strings.HasSuffix(f.File, "_test.go")
		}
		name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
		if parts := strings.Split(name, "."); len(parts) > 1 && strings.HasPrefix(parts[1], "Test") && strings.HasSuffix(f.File, "_test.go") {
			test = parts[1]
		}
		if !more {
			return test, entry
		}
	}
}

// once does a call and writes down what comes of it.
func once(fn reflect.Value, args []reflect.Value, r Record) {
	copies := make([]reflect.Value, len(args))
	memo := map[uintptr]reflect.Value{}
	for i, a := range args {
		copies[i] = clone(a, memo, 0)
	}
	ended := make(chan Record, 1)
	go func() {
		mine := r
		defer func() {
			if v := recover(); v != nil {
				mine.Outcome = "raises " + fmt.Sprintf("%T", v)
				if _, crash := v.(runtime.Error); crash {
					mine.Outcome = "crash"
				}
			}
			ended <- mine
		}()
		var results []reflect.Value
		if fn.Type().IsVariadic() {
			results = fn.CallSlice(copies)
		} else {
			results = fn.Call(copies)
		}
		words := make([]string, len(results))
		given, got := map[uintptr]string{}, map[uintptr]string{}
		for i, a := range copies {
			parts(a, fmt.Sprint("argument ", i+1), given, 0)
		}
		for i, v := range results {
			words[i] = show(v)
			parts(v, fmt.Sprint("result ", i+1), got, 0)
		}
		mine.Outcome = short(strings.Join(words, ", "))
		mine.Shared = short(common(given, got))
	}()
	select {
	case r = <-ended:
		var after []string
		for _, a := range copies {
			switch a.Kind() {
			case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
				after = append(after, show(a))
			}
		}
		r.After = short(strings.Join(after, "; "))
	case <-time.After(aCall):
		r.Outcome = "late"
		state.late++
	}
	say(r)
}

func say(r Record) {
	line, err := json.Marshal(r)
	if err == nil {
		_, _ = state.out.Write(append(line, '\n')) // a guide only
	}
}
