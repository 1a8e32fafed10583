package probe

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"
)

const deepest = 6

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// short is a text, or its beginning and a sum of the whole.
func short(s string) string {
	if len(s) <= 160 {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return cut(s, 120) + fmt.Sprintf("…%x", sha256.Sum256([]byte(s)))[:19]
}

// open gives access to a field that is not exported.
func open(v reflect.Value) reflect.Value {
	if v.CanAddr() && !v.CanSet() {
		return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() //nolint:gosec // the fields of copies are changed and read
	}
	return v
}

// addressable is a value whose parts have addresses.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	n := reflect.New(v.Type()).Elem()
	n.Set(v)
	return n
}

// foreign tells types of the library, which are taken as they are.
func foreign(t reflect.Type) bool {
	first, _, _ := strings.Cut(t.PkgPath(), "/")
	return t.PkgPath() != "" && t.Kind() == reflect.Struct && !strings.Contains(first, ".") && libraries[first]
}

var libraries = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields("archive bufio bytes compress container context crypto database debug embed encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe weak") {
		m[name] = true
	}
	return m
}()

// show is the text of a value by its parts, without addresses.
func show(v reflect.Value) string { return shown(v, 0, nil) }

func shown(v reflect.Value, depth int, above []uintptr) string {
	if !v.IsValid() {
		return "nil"
	}
	if depth > deepest {
		return "…"
	}
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case time.Time:
			return x.Round(0).Format(time.RFC3339Nano)
		case error:
			return "error " + errorText(x)
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		if slices.Contains(above, v.Pointer()) {
			return "<cycle>"
		}
		return "&" + shown(v.Elem(), depth+1, append(above, v.Pointer()))
	case reflect.Interface:
		return shown(v.Elem(), depth+1, above)
	case reflect.Struct:
		return structText(v, depth, above)
	case reflect.Slice, reflect.Array:
		var parts []string // no elements and no slice look the same
		for i := range min(v.Len(), 60) {
			parts = append(parts, shown(v.Index(i), depth+1, above))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.Map:
		var parts []string
		for _, k := range v.MapKeys()[:min(v.Len(), 200)] {
			parts = append(parts, shown(k, depth+1, above)+":"+shown(v.MapIndex(k), depth+1, above))
		}
		sort.Strings(parts)
		return "map[" + strings.Join(parts[:min(len(parts), 60)], " ") + "]"
	case reflect.String:
		return fmt.Sprintf("%q", cut(v.String(), 300))
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return fmt.Sprint(v.Kind(), " ", v.IsNil())
	}
	return fmt.Sprint(v)
}

func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "?"
		}
	}()
	return fmt.Sprintf("%T %s", err, cut(err.Error(), 100))
}

func structText(v reflect.Value, depth int, above []uintptr) string {
	if foreign(v.Type()) && v.Type().PkgPath() == "sync" {
		return v.Type().Name()
	}
	var parts []string
	for i := range v.NumField() {
		f := v.Field(i)
		if v.CanAddr() {
			f = open(f)
		}
		parts = append(parts, v.Type().Field(i).Name+"="+shown(f, depth+1, above))
	}
	return v.Type().Name() + "{" + strings.Join(parts, " ") + "}"
}

// clone copies a value with all that it points to, but for the library's own.
func clone(v reflect.Value, memo map[uintptr]reflect.Value, depth int) reflect.Value {
	if depth > 40 {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || foreign(v.Type().Elem()) {
			return out
		}
		if n, ok := memo[v.Pointer()]; ok && n.Type() == v.Type() {
			return n
		}
		n := reflect.New(v.Type().Elem())
		memo[v.Pointer()] = n.Convert(v.Type())
		n.Elem().Set(clone(v.Elem(), memo, depth+1))
		return n.Convert(v.Type())
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(clone(v.Elem(), memo, depth+1))
		}
	case reflect.Struct:
		if foreign(v.Type()) {
			return out
		}
		for i := range out.NumField() {
			f := open(out.Field(i))
			f.Set(clone(f, memo, depth+1))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(clone(v.Index(i), memo, depth+1))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(clone(v.Index(i), memo, depth+1))
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for _, k := range v.MapKeys() {
				out.SetMapIndex(k, clone(v.MapIndex(k), memo, depth+1))
			}
		}
	}
	return out
}

// parts notes the places of what can be changed in a value.
func parts(v reflect.Value, path string, out map[uintptr]string, depth int) {
	if depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && out[v.Pointer()] == "" && !foreign(v.Type().Elem()) {
			out[v.Pointer()] = path
			parts(v.Elem(), path, out, depth+1)
		}
	case reflect.Interface:
		if !v.IsNil() {
			parts(v.Elem(), path, out, depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			parts(v.Field(i), path+"."+v.Type().Field(i).Name, out, depth+1)
		}
	case reflect.Slice:
		if v.Len() > 0 && out[v.Pointer()] == "" {
			out[v.Pointer()] = path
			for i := range min(v.Len(), 20) {
				parts(v.Index(i), fmt.Sprint(path, "[", i, "]"), out, depth+1)
			}
		}
	case reflect.Map:
		if v.Len() > 0 && out[v.Pointer()] == "" {
			out[v.Pointer()] = path
			for _, k := range v.MapKeys()[:min(v.Len(), 40)] {
				parts(v.MapIndex(k), path+"["+show(k)+"]", out, depth+1)
			}
		}
	}
}

// common lists the parts of a result that are parts of the arguments too.
func common(given, got map[uintptr]string) string {
	var out []string
	for at, path := range got {
		if from := given[at]; from != "" {
			out = append(out, path+" in "+from)
		}
	}
	sort.Strings(out)
	return strings.Join(out, "; ")
}

func lastRune(s string) string {
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}
