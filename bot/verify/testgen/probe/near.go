package probe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// around calls each with lists of arguments near a list of arguments, the same
// ones first, until it says stop.
func around(args []reflect.Value, each func(what string, args []reflect.Value) bool) {
	if !each("as it is", args) {
		return
	}
	with := func(i int, v reflect.Value) []reflect.Value {
		out := slices.Clone(args)
		out[i] = v
		return out
	}
	share := max(6, (variants-4)/max(len(args), 1))
	for i, a := range args {
		n := 0
		for _, v := range near(a, 2) {
			if n++; n > share {
				break
			}
			if !each(fmt.Sprintf("argument %d %s", i+1, v.what), with(i, v.value)) {
				return
			}
		}
	}
	for i := range len(args) - 1 {
		a, b := args[i], args[i+1]
		if a.Type() == b.Type() && show(a) != show(b) {
			both := with(i, b)
			both[i+1] = a
			if !each(fmt.Sprintf("arguments %d and %d swapped", i+1, i+2), both) || !each(fmt.Sprintf("arguments %d and %d the same", i+1, i+2), with(i, b)) {
				return
			}
		}
	}
}

type variant struct {
	what  string
	value reflect.Value
}

// near lists values near a value. What it is made of is changed too, to a depth.
func near(v reflect.Value, depth int) []variant {
	var out []variant
	add := func(what string, x any) {
		n := reflect.New(v.Type()).Elem()
		n.Set(reflect.ValueOf(x).Convert(v.Type()))
		if show(n) != show(v) {
			out = append(out, variant{what, n})
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		add("not", !v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x := v.Int()
		for _, n := range []int64{x + 1, x - 1, 0, 1, -x, x*10 + 3, 2, x * 2} {
			add(fmt.Sprint(n), n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x := v.Uint()
		for _, n := range []uint64{x + 1, max(x, 1) - 1, 0, 1, x*10 + 3, 2} {
			add(fmt.Sprint(n), n)
		}
	case reflect.Float32, reflect.Float64:
		x := v.Float()
		for _, n := range []float64{x + 1, x - 1, 0, -x, x / 2, x + 0.5} {
			add(fmt.Sprint(n), n)
		}
	case reflect.String:
		for _, s := range texts(v.String()) {
			add(fmt.Sprintf("%q", cut(s, 50)), s)
		}
	case reflect.Slice:
		return slicesNear(v, depth)
	case reflect.Map:
		return mapsNear(v, depth)
	case reflect.Pointer:
		if !v.IsNil() && !foreign(v.Type().Elem()) && depth > 0 {
			for _, e := range near(v.Elem(), depth) {
				n := reflect.New(v.Type().Elem())
				n.Elem().Set(e.value)
				out = append(out, variant{e.what, n.Convert(v.Type())})
			}
		}
	case reflect.Interface:
		if !v.IsNil() && depth > 1 {
			for _, e := range near(v.Elem(), depth-1) {
				n := reflect.New(v.Type()).Elem()
				n.Set(e.value)
				out = append(out, variant{e.what, n})
			}
		}
	case reflect.Struct:
		return structsNear(v, depth)
	}
	return out
}

// texts are texts near a text.
func texts(s string) []string {
	runes := []rune(s)
	back := slices.Clone(runes)
	slices.Reverse(back)
	number := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0' + (r-'0'+1)%10
		}
		return r
	}, s)
	out := []string{"", strings.ToUpper(s), strings.ToLower(s), s + "x", " " + s + " ", s + lastRune(s), "é" + s, number, string(back), strings.ReplaceAll(s, " ", ""), s + " " + s}
	if len(runes) > 0 {
		out = append(out, string(runes[:len(runes)-1]), string(runes[1:]))
	}
	return out
}

func slicesNear(v reflect.Value, depth int) []variant {
	if v.IsNil() || v.Len() == 0 {
		return nil
	}
	n := v.Len()
	order := func(at ...int) reflect.Value {
		out := reflect.MakeSlice(v.Type(), 0, len(at))
		for _, i := range at {
			out = reflect.Append(out, v.Index(i))
		}
		return out
	}
	var whole, back []int
	for i := range n {
		whole, back = append(whole, i), append(back, n-1-i)
	}
	out := []variant{{"empty", order()}, {"first", order(0)}, {"rest", order(whole[1:]...)}, {"but last", order(whole[:n-1]...)}, {"reversed", order(back...)}, {"again", order(append(slices.Clone(whole), 0)...)}}
	if depth > 1 {
		for _, i := range slices.Compact([]int{0, n - 1}) {
			for k, e := range near(v.Index(i), depth-1) {
				if k < 4 {
					some := order(whole...)
					some.Index(i).Set(e.value)
					out = append(out, variant{fmt.Sprint(i, ": ", e.what), some})
				}
			}
		}
	}
	return out
}

func mapsNear(v reflect.Value, depth int) []variant {
	if v.IsNil() {
		return nil
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(show(a), show(b)) })
	with := func(but, value reflect.Value) reflect.Value {
		out := reflect.MakeMap(v.Type())
		for _, k := range keys {
			if but.IsValid() && k.Equal(but) {
				if value.IsValid() {
					out.SetMapIndex(k, value)
				}
				continue
			}
			out.SetMapIndex(k, v.MapIndex(k))
		}
		return out
	}
	out := []variant{{"empty", reflect.MakeMap(v.Type())}}
	if depth < 1 {
		return out
	}
	for _, k := range keys[:min(len(keys), 3)] {
		out = append(out, variant{"without " + show(k), with(k, reflect.Value{})})
		for i, e := range near(v.MapIndex(k), depth-1) {
			if depth > 1 && i < 3 {
				out = append(out, variant{show(k) + ": " + e.what, with(k, e.value)})
			}
		}
	}
	return out
}

func structsNear(v reflect.Value, depth int) []variant {
	var out []variant
	if v.Type() == reflect.TypeFor[time.Time]() && v.CanInterface() {
		t := v.Interface().(time.Time)
		for _, d := range []time.Duration{24, -24, 7 * 24, 31 * 24, 1, 0} {
			out = append(out, variant{fmt.Sprintf("%+d hours", d), reflect.ValueOf(t.Add(d*time.Hour + time.Second))})
		}
		return out
	}
	if foreign(v.Type()) || depth < 1 {
		return nil
	}
	v = addressable(v)
	for i := range min(v.NumField(), 8) {
		for k, e := range near(open(v.Field(i)), depth-1) {
			if k >= 4 || depth < 2 && k >= 2 {
				break
			}
			n := reflect.New(v.Type()).Elem()
			n.Set(v)
			open(n.Field(i)).Set(e.value)
			out = append(out, variant{v.Type().Field(i).Name + ": " + e.what, n})
		}
	}
	return out
}
