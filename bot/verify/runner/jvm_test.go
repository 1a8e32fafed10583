package runner

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

func TestC9ASentinelInJavaIsWrittenAsItsNeighbours(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, at, has string }{
		"JUnit 5":             {"src/test/java/shop/PriceTests.java", "package shop;\nimport static org.junit.jupiter.api.Assertions.*;\n", "src/test/java/shop/fettle1Tests.java", "package shop;\n\npublic class fettle1Tests {\n    @org.junit.jupiter.api.Test public void passes() {}\n"},
		"JUnit 4":             {"src/test/java/PriceSpec.java", "import org.junit.Test;\n", "src/test/java/fettle1Spec.java", "public class fettle1Spec {\n    @org.junit.Test public void passes() {}\n"},
		"JUnit 3":             {"src/test/java/a/TestPrice.java", "package a;\nclass TestPrice extends junit.framework.TestCase {}\n", "src/test/java/a/fettle1Test.java", "public class fettle1Test extends junit.framework.TestCase {\n    public void testpasses() {}\n"},
		"TestNG":              {"src/test/java/a/PriceTest.java", "package a;\nimport org.testng.annotations.Test;\n", "src/test/java/a/fettle1Test.java", "    @org.testng.annotations.Test public void fails() {\n"},
		"no library is known": {"src/test/java/a/PriceTest.java", "package a;\nclass PriceTest {}\n", "", ""},
	} {
		tree, err := detect.Scan(fstest.MapFS{"pom.xml": {Data: []byte("<project/>")}, "src/test/java/Helper.java": {Data: []byte("class Helper {}")}, c.file: {Data: []byte(c.text)}})
		if err != nil {
			t.Fatal(err)
		}
		commands := tree.Plan().Commands
		if len(commands) != 1 || len(commands[0].Files) != 2 {
			t.Fatalf("%s: %+v", name, commands)
		}
		if s := layJava(tree, commands[0], "fettle1"); s.File != c.at || !strings.Contains(s.Text, c.has) {
			t.Errorf("%s: %s\n%s", name, s.File, s.Text)
		}
	}
}

func TestC9SomeTestsOfAJavaBuildAreChosen(t *testing.T) {
	t.Parallel()
	sentinel := Sentinel{File: "svc/core/src/test/java/shop/fettle1Test.java"}
	for name, c := range map[string]struct {
		files, tests  []string
		maven, gradle []string // after what everything is run with
	}{
		"methods of a class":        {nil, []string{"core/shop.PriceTest::a", "core/shop.PriceTest::b(int)[2]"}, []string{"-Dtest=fettle1Test,shop.PriceTest#a+b*", "core"}, []string{":core:test", "*fettle1Test", "shop.PriceTest.a", "shop.PriceTest.b*"}},
		"of two modules":            {nil, []string{"a/b/x.T::a", "x.U$In::b"}, []string{"-Dtest=fettle1Test,x.T#a,x.U$In#b", ".,a/b,core"}, []string{":test", "x.U$In.b", ":a:b:test", "x.T.a", ":core:test", "*fettle1Test"}},
		"a file":                    {[]string{"core/src/test/java/shop/BillTest.java"}, nil, []string{"-Dtest=BillTest,fettle1Test", "core"}, []string{":core:test", "*BillTest", "*fettle1Test"}},
		"a class that did not load": {[]string{"core/shop.BillTest"}, nil, []string{"-Dtest=fettle1Test,shop.BillTest", "core"}, []string{":core:test", "*fettle1Test", "shop.BillTest"}},
		"a name that is none":       {nil, []string{"core/x.T::adds, two", "core/x.T::a", "-x/T::a"}, []string{"-Dtest=fettle1Test,x.T", "core"}, nil},
		"everything":                {nil, nil, nil, nil},
	} {
		m := narrowMaven(detect.Command{Dir: "svc"}, c.files, c.tests, sentinel).Argv[len(unasked):]
		for _, want := range c.maven {
			if !slices.Contains(m, want) {
				t.Errorf("%s: %q has no %s", name, m, want)
			}
		}
		if c.maven == nil && len(m) > 0 {
			t.Errorf("%s: %q", name, m)
		}
		g := narrowGradle(detect.Command{Dir: "svc", Argv: []string{"gradle", "test"}}, c.files, c.tests, sentinel).Argv
		g = slices.DeleteFunc(g, func(a string) bool { return a == "--tests" || a == "gradle" })
		if c.gradle != nil && !slices.Equal(g, c.gradle) {
			t.Errorf("%s: %q", name, g)
		}
	}
}
