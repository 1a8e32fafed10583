package probe

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

type node struct {
	name  string
	tags  []string
	by    map[string]*node
	next  *node
	at    time.Time
	other any
}

func sample() *node {
	n := &node{name: "a", tags: []string{"x", "y"}, by: map[string]*node{"k": {name: "b"}}, at: time.Unix(5, 0).UTC(), other: []int{1}}
	n.next = n
	return n
}

func TestR2ACopySharesNothingAndLooksTheSame(t *testing.T) {
	t.Parallel()
	v := reflect.ValueOf(sample())
	c := clone(v, map[uintptr]reflect.Value{}, 0)
	if show(c) != show(v) {
		t.Errorf("%s became %s", show(v), show(c))
	}
	given, got := map[uintptr]string{}, map[uintptr]string{}
	parts(v, "given", given, 0)
	parts(c, "copy", got, 0)
	if shared := common(given, got); shared != "" || len(got) < 4 {
		t.Errorf("shared: %q of %v", shared, got)
	}
	if again := common(given, given); !strings.Contains(again, "given.tags in given.tags") {
		t.Errorf("what is shared is not seen: %q", again)
	}
}

func TestR2ValuesAreShownWithoutAddresses(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]any{
		`["x" "y"]`: []string{"x", "y"}, "[]": []string(nil), `map["a":1 "b":2]`: map[string]int{"b": 2, "a": 1}, "1970-01-01T00:00:05Z": time.Unix(5, 0).UTC(),
		"error *errors.errorString no": errors.New("no"), "&node{name=\"\" tags=[] by=map[] next=nil at=": &node{},
	} {
		if got := show(reflect.ValueOf(x)); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestR2NearValuesDifferFromTheValueAndLeaveItAlone(t *testing.T) {
	t.Parallel()
	for _, x := range []any{3, uint8(200), 2.5, "a1 b", true, []int{1, 2, 3}, map[string]int{"a": 1}, *sample(), sample(), time.Unix(9, 0)} {
		v := addressable(reflect.ValueOf(x))
		before := show(v)
		list := near(v, 2)
		if len(list) == 0 {
			t.Errorf("nothing near %s", before)
		}
		for _, n := range list {
			if n.value.Type() != v.Type() || n.what == "" {
				t.Errorf("%s of %s has the type %s", n.what, before, n.value.Type())
			}
		}
		if show(v) != before {
			t.Errorf("%s became %s", before, show(v))
		}
	}
}
