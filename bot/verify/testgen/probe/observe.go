package probe

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Outcome is what a given call came to, a line of what is written.
type Outcome struct {
	ID     int      `json:"id"`
	Value  *string  `json:"value,omitempty"`  // the result as a literal; of several, the first
	Error  string   `json:"error,omitempty"`  // the last result is this error
	Panic  string   `json:"panic,omitempty"`  // what it ended with
	Late   bool     `json:"late,omitempty"`   // it did not end in time
	Opaque bool     `json:"opaque,omitempty"` // the result is no literal
	After  []string `json:"after,omitempty"`  // the arguments asked for, afterwards; "" for what is no literal
	Twice  bool     `json:"twice,omitempty"`  // the second time something else came out
}

// All are the results of a call.
func All(results ...any) []any { return results }

// Given is a call to do; Failing tells that the last result is an error.
type Given struct {
	Failing bool
	Call    func() (results, after []any)
}

// Observe does the calls that FETTLE_CALLS names by their ids, in its order, and
// writes down what comes of them, to the file that FETTLE_OBSERVE names. home is
// the path of the package whose literals are written.
func Observe(home string, calls map[int]Given) {
	for _, word := range strings.Fields(os.Getenv("FETTLE_CALLS")) {
		if id, err := strconv.Atoi(word); err == nil {
			observe(id, home, calls[id].Failing, calls[id].Call)
		}
	}
}

// observe does a call twice.
func observe(id int, home string, failing bool, call func() (results, after []any)) {
	first := outcome(id, home, failing, call)
	if !first.Late {
		second := outcome(id, home, failing, call)
		a, _ := json.Marshal(first)
		b, _ := json.Marshal(second)
		first.Twice = string(a) != string(b)
	}
	out, err := os.OpenFile(os.Getenv("FETTLE_OBSERVE"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return
	}
	if line, err := json.Marshal(first); err == nil {
		_, _ = out.Write(append(line, '\n')) // a guide only
	}
	_ = out.Close()
}

func outcome(id int, home string, failing bool, call func() (results, after []any)) Outcome {
	ended := make(chan Outcome, 1)
	go func() {
		o := Outcome{ID: id}
		defer func() {
			if v := recover(); v != nil {
				o = Outcome{ID: id, Panic: cut(fmt.Sprint(v), 100)}
			}
			ended <- o
		}()
		results, after := call()
		o.read(home, failing, results, after)
	}()
	select {
	case o := <-ended:
		return o
	case <-time.After(aCall):
		return Outcome{ID: id, Late: true}
	}
}

func (o *Outcome) read(home string, failing bool, results, after []any) {
	if failing {
		if err, ok := results[len(results)-1].(error); ok {
			o.Error = cut(err.Error(), 200)
			return
		}
		if results = results[:len(results)-1]; len(results) == 0 {
			results = []any{nil}
		}
	}
	text := func(x any) (string, bool) {
		if x == nil {
			return "nil", true
		}
		lit, err := literal(reflect.ValueOf(x), home, 0)
		text := lit.String()
		return text, err == nil && len(text) <= 300
	}
	if len(results) > 0 {
		if s, ok := text(results[0]); ok {
			o.Value = &s
		} else {
			o.Opaque = true
		}
	}
	for _, a := range after {
		s, ok := text(a)
		if !ok {
			s = ""
		}
		o.After = append(o.After, s)
	}
}

// homeOf is the path of the package that defines a function, isMethod tells
// whether the function is a method expression.
func homeOf(function any) string {
	name := runtime.FuncForPC(reflect.ValueOf(function).Pointer()).Name()
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return name
	}
	return name[:slash+dot]
}

func isMethod(function any, name string) bool {
	whole := runtime.FuncForPC(reflect.ValueOf(function).Pointer()).Name()
	short := whole[strings.LastIndexByte(whole, '/')+1:]
	_, rest, _ := strings.Cut(short, ".")
	return rest != name && strings.Contains(strings.TrimSuffix(rest, "-fm"), ".")
}
