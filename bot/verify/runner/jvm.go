package runner

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// Build tools of the JVM: the sentinel is a class beside another test class, for the
// same library. Ids are "module folder/package.Class::method".

// testLibraries are recognised by what a test file imports, in this order.
var testLibraries = []struct{ imports, annotation, extends, prefix string }{
	{imports: "org.junit.jupiter.", annotation: "@org.junit.jupiter.api.Test "},
	{imports: "org.testng.", annotation: "@org.testng.annotations.Test "},
	{imports: "org.junit.", annotation: "@org.junit.Test "},
	{imports: "junit.framework.", extends: " extends junit.framework.TestCase", prefix: "test"},
}

var (
	javaTestName = lazyregexp.New(`(?:^|/)(?:Test[^/]*|[^/]*(?:Tests?|TestCase|Spec))\.(?:java|kt|groovy|scala)$`)
	javaEnd      = lazyregexp.New(`(?:Tests?|TestCase|Spec)\.java$`)
	javaPackage  = lazyregexp.New(`(?m)^\s*package\s+([\w.]+)\s*;`)
	javaName     = lazyregexp.New(`^[\pL\pN_$.]+$`)
	moduleSource = lazyregexp.New(`^(?:(.*?)/)?src/`)
)

// layJava writes the sentinel as the first test file is written whose library is known;
// best is one whose name says that it is a test.
func layJava(t *detect.Tree, c detect.Command, word string) Sentinel {
	for _, named := range []bool{true, false} {
		for _, f := range c.Files {
			text, end := t.Read(f), javaEnd.FindString(f)
			if path.Ext(f) != ".java" || named && end == "" {
				continue
			}
			for _, l := range testLibraries {
				if !strings.Contains(text, "import "+l.imports) && !strings.Contains(text, "import static "+l.imports) && !strings.Contains(text, "@"+l.imports) && !strings.Contains(text, "extends "+l.imports) {
					continue
				}
				if end == "" {
					end = "Test.java"
				}
				s := Sentinel{File: path.Join(path.Dir(f), word+end)}
				if m := javaPackage.FindStringSubmatch(text); m != nil {
					s.Text = "package " + m[1] + ";\n\n"
				}
				s.Text += fmt.Sprintf("public class %s%s {\n    %spublic void %spasses() {}\n\n    %spublic void %sfails() {\n        throw new AssertionError(\"it has to\");\n    }\n}\n",
					word+strings.TrimSuffix(end, ".java"), l.extends, l.annotation, l.prefix, l.annotation, l.prefix)
				return s
			}
		}
	}
	return Sentinel{}
}

// chosen are some tests of a build: by module folder the classes, each with the
// methods that are run, none for all of them.
type chosen map[string]map[string][]string

// choose sorts files and ids by module and class. What is no name in Java is run with
// its whole class, or with everything.
func choose(c detect.Command, files, tests []string, s Sentinel) chosen {
	out := chosen{}
	add := func(module, class, method string) {
		if module == "" {
			module = "."
		}
		if Option(module) || !javaName.MatchString(class) {
			return
		}
		if out[module] == nil {
			out[module] = map[string][]string{}
		}
		methods, known := out[module][class]
		if whole := known && len(methods) == 0; whole || !javaName.MatchString(strings.TrimSuffix(method, "*")) {
			out[module][class] = nil
		} else {
			out[module][class] = append(methods, method)
		}
	}
	file := func(f string) {
		module := ""
		if m := moduleSource.FindStringSubmatch(f); m != nil {
			module = m[1]
		}
		add(module, strings.TrimSuffix(path.Base(f), path.Ext(f)), "")
	}
	for _, f := range files {
		if javaTestName.MatchString(f) || strings.Contains(f, "src/") {
			file(f)
		} else { // a class that could not be run
			add(strings.TrimPrefix(path.Dir(f), "."), path.Base(f), "")
		}
	}
	for _, id := range tests {
		class, method, _ := strings.Cut(id, "::")
		if at := strings.IndexAny(method, "([{ "); at >= 0 { // one of several with the same method
			method = method[:at] + "*"
		}
		add(strings.TrimPrefix(path.Dir(class), "."), path.Base(class), method)
	}
	if len(out) > 0 && s.File != "" {
		file(detect.From(c.Dir, s.File))
	}
	return out
}

// names lists "class<join>method" for all that is chosen of some modules, sorted.
func (c chosen) names(join, and string, modules ...string) (out []string) {
	for _, m := range modules {
		for class, methods := range c[m] {
			switch {
			case len(methods) == 0:
				out = append(out, class)
			case and != "":
				out = append(out, class+join+strings.Join(methods, and))
			default:
				for _, method := range methods {
					out = append(out, class+join+method)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c chosen) modules() []string {
	return slices.Sorted(maps.Keys(c))
}

// unasked are checks beside the tests that builds bind to the same phases, and that
// have no say over a file of ours.
var unasked = []string{"-Dsurefire.skipAfterFailureCount=0", "-Dcheckstyle.skip", "-Dspotless.check.skip", "-Drat.skip", "-Dlicense.skip", "-Dpmd.skip", "-Dcpd.skip", "-Dspotbugs.skip", "-Dfmt.skip"}

func narrowMaven(c detect.Command, files, tests []string, s Sentinel) detect.Command {
	c.Argv = slices.Concat(c.Argv, unasked)
	all := choose(c, files, tests, s)
	modules := all.modules()
	if len(modules) == 0 {
		return c
	}
	c.Argv = append(c.Argv, "-Dtest="+strings.Join(all.names("#", "+", modules...), ","), "-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false")
	if !slices.Equal(modules, []string{"."}) {
		c.Argv = append(c.Argv, "-pl", strings.Join(modules, ","), "-am")
	}
	return c
}

// narrowGradle runs the task of each module, since a module without one of the tests
// fails.
func narrowGradle(c detect.Command, files, tests []string, s Sentinel) detect.Command {
	all := choose(c, files, tests, s)
	if len(all) == 0 {
		return c
	}
	c.Argv = slices.DeleteFunc(slices.Clone(c.Argv), func(a string) bool { return a == "test" })
	for _, m := range all.modules() {
		c.Argv = append(c.Argv, strings.TrimSuffix(":"+strings.ReplaceAll(strings.TrimPrefix(m, "."), "/", ":"), ":")+":test")
		for _, name := range all.names(".", "", m) {
			if !strings.Contains(name, ".") {
				name = "*" + name // in any package
			}
			c.Argv = append(c.Argv, "--tests", name)
		}
	}
	return c
}
