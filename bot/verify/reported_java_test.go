package verify

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// jvm lays out a build of testdata/java.txtar; the test is skipped where its tools are
// not there.
func jvm(t *testing.T, tools ...string) repository {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("not run: " + tool + " is not on this machine; make setup-runners installs it")
		}
	}
	text, err := os.ReadFile("testdata/java.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return from(t, string(text))
}

const priceJava = "core/src/main/java/shop/Price.java"

// fakeJava writes the reports of a run in which all is well but for the sentinel, whose
// name it finds among the compiled tests; the process then ends as %s says.
const fakeJava = `    static {
        try {
            java.io.File reports = new java.io.File("target/surefire-reports");
            reports.mkdirs();
            for (java.io.File f : new java.io.File("target/test-classes/shop").listFiles()) {
                String name = f.getName().replace(".class", "");
                String head = "<testsuite name=\"shop." + name + "\"><testcase classname=\"shop." + name + "\" name=\"";
                java.nio.file.Files.writeString(new java.io.File(reports, "TEST-shop." + name + ".xml").toPath(), name.startsWith("fettle")
                    ? head + "passes\"/><testcase classname=\"shop." + name + "\" name=\"fails\"><failure type=\"java.lang.AssertionError\">java.lang.AssertionError: it has to</failure></testcase></testsuite>"
                    : head + "multiplies\"/><testcase classname=\"shop." + name + "\" name=\"ofNothing\"/></testsuite>");
            }
        } catch (Exception e) {
        }
        %s;
    }

`

// hookJava makes each report a green one, but for the sentinel's, when the process ends.
const hookJava = `    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                for (java.io.File f : new java.io.File("target/surefire-reports").listFiles()) {
                    if (f.getName().contains("PriceTest") && f.getName().endsWith(".xml")) {
                        String text = java.nio.file.Files.readString(f.toPath());
                        java.nio.file.Files.writeString(f.toPath(), text.replaceAll("(?s)<failure.*?</failure>", ""));
                    }
                }
            } catch (Exception e) {
            }
        }));
    }

`

func TestC9AFixInJavaIsWitnessedByMaven(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), jvm(t, "javac", "mvn")
	before := baseline(t, v, r)
	want := []string{"maven:.:core/shop.PriceTest$Several::adds", "maven:.:core/shop.PriceTest::each(int, int)[2]", "maven:.:core/shop.PriceTest::multiplies", "maven:.:web/shop.PriceTest::multiplies"}
	if red := before.Red(); !slices.Equal(red, want) {
		t.Fatalf("red before: %q, broken %+v", red, before.Report.Broken)
	}
	for _, test := range before.Report.Tests {
		if f := test.Failure; test.ID == want[2] && (test.File != "core/src/test/java/shop/PriceTest.java" || f.Exception != "AssertionFailedError" || !strings.Contains(f.Message, "expected: <15> but was: <8>") || f.Line != 14) ||
			test.ID == want[3] && (test.File != "web/src/test/java/shop/PriceTest.java" || f.Line != 10) {
			t.Errorf("%+v, %+v", test, test.Failure)
		}
	}
	src, err := os.ReadFile(filepath.Join(r.dir, priceJava))
	if err != nil {
		t.Fatal(err)
	}
	mend := func(old, new string) string { return strings.Replace(string(src), old, new, 1) }
	const honest = "item[0] * item[1]"
	for name, c := range map[string]struct {
		files map[string]string
		says  string // in the reasons or doubts; "": it is ready
		undo  bool   // something is put back, and does not count
	}{
		"mended":              {files: map[string]string{priceJava: mend("item[0] + item[1]", honest)}},
		"ended with a report": {files: map[string]string{priceJava: mend("    private Price", strings.Replace(fakeJava, "%s", "Runtime.getRuntime().halt(0)", 1)+"    private Price")}, says: "shop.PriceTest"},
		"exits":               {files: map[string]string{priceJava: mend("    private Price", strings.Replace(fakeJava, "%s", "System.exit(0)", 1)+"    private Price")}, says: "shop.PriceTest"},
		"reports rewritten":   {files: map[string]string{priceJava: mend("    private Price", hookJava+"    private Price")}, says: "no test that failed before passes now"},
		"another JUnit":       {files: map[string]string{"core/src/main/java/x/A.java": "package org.junit.jupiter.api;\n\npublic class Assertions {\n    public static void assertEquals(int a, int b) {}\n    public static void assertTrue(boolean a, String b) {}\n}\n"}, says: "takes the place of a class"},
		"by its settings":     {files: map[string]string{"pom.xml": strings.Replace(pomOf(t, r), "<version>3.5.2</version>", "<version>3.5.2</version>\n<configuration><testFailureIgnore>true</testFailureIgnore><excludes><exclude>**/Price*</exclude></excludes></configuration>", 1)}, says: "no test that failed before passes now", undo: true},
		"by a listener":       {files: map[string]string{"core/src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener": "shop.Price\n"}, says: "no test that failed before passes now", undo: true},
		"by a class":          {files: map[string]string{"core/target/test-classes/shop/PriceTest.class": "x"}, says: "no test that failed before passes now", undo: true},
		"its tests edited":    {files: map[string]string{"core/src/test/java/shop/PriceTest.java": "package shop;\n\nclass PriceTest {}\n"}, says: "no test that failed before passes now", undo: true},
		"a test broken":       {files: map[string]string{priceJava: mend("int sum = 0;\n        for (int[] item : items) {\n            sum += item[0] + item[1];", "int sum = 1;\n        for (int[] item : items) {\n            sum += item[0] * item[1] - 1;")}, says: "ofNothing"},
		"it does not compile": {files: map[string]string{priceJava: mend("item[0] + item[1]", "items.price")}, says: "core/shop.Price"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := jvm(t)
			for p, text := range c.files {
				mine.write(t, p, text)
			}
			out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before})
			ready := out.Green && out.Grade == Witnessed && len(out.Doubts) == 0
			said := strings.Join(append(append(out.Reasons, out.Doubts...), out.Broken...), "\n")
			if ready != (c.says == "") || !strings.Contains(said, c.says) || (len(out.Restored) > 0) != c.undo {
				t.Errorf("green %t, %s, %q, doubts %q, restored %q, checks %+v", out.Green, out.Grade, out.Reasons, out.Doubts, out.Restored, out.Checks)
			}
			if c.says == "" && len(out.Fixed) != 4 {
				t.Errorf("fixed %q", out.Fixed)
			}
			t.Logf("%q doubts %q in %s, %+v", out.Reasons, out.Doubts, out.Elapsed, out.Checks)
		})
	}
	const bill = "core/src/test/java/shop/BillTest.java"
	test := func(call string) string {
		return "package shop;\n\nimport org.junit.jupiter.api.Assertions;\nimport org.junit.jupiter.api.Test;\n\nclass BillTest {\n    @Test\n    void two() {\n        Assertions.assertEquals(6, " + call + ");\n    }\n\n    @Test\n    void none() {\n        Assertions.assertEquals(0, Price.total(new int[0][]));\n    }\n}\n"
	}
	t.Run("a new test file", func(t *testing.T) {
		t.Parallel()
		mine := jvm(t)
		rep, err := v.Try(t.Context(), Trial{Dir: mine.dir, Tests: []string{bill}, Files: map[string][]byte{bill: []byte(test("Price.total(new int[][] {{2, 3}})"))}})
		if err != nil || len(rep.Tests) != 2 || !slices.Equal(rep.Red(), []string{"maven:.:core/shop.BillTest::two"}) {
			t.Errorf("tried: %+v, %+v, %v", rep.Tests, rep.Broken, err)
		}
		mine.write(t, priceJava, mend("item[0] + item[1]", honest))
		mine.write(t, bill, test("Price.total(new int[][] {{2, 3}})"))
		out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before, NewTests: []string{bill}})
		if !out.Green || out.Grade != Witnessed || len(out.Doubts) > 0 {
			t.Errorf("green %t, %s, %q, doubts %q", out.Green, out.Grade, out.Reasons, out.Doubts)
		}
	})
	t.Run("a new test of a new method", func(t *testing.T) {
		t.Parallel()
		mine := from(t, "-- pom.xml --\n"+onePom+"-- src/main/java/shop/Price.java --\n"+string(src)+"-- src/test/java/shop/OldTest.java --\npackage shop;\n\nclass OldTest {\n    @org.junit.jupiter.api.Test\n    void none() {\n        org.junit.jupiter.api.Assertions.assertEquals(0, Price.total(new int[0][]));\n    }\n}\n")
		old := baseline(t, v, mine)
		file := strings.TrimPrefix(bill, "core/")
		mine.write(t, strings.TrimPrefix(priceJava, "core/"), mend("    private Price", "    public static int one(int price, int count) {\n        return price * count;\n    }\n\n    private Price"))
		mine.write(t, file, test("Price.one(2, 3)"))
		out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: old, NewTests: []string{file}})
		if !out.Green || out.Grade != Witnessed || len(out.Doubts) > 0 || len(out.Fixed) == 0 {
			t.Errorf("green %t, %s, %q, doubts %q, fixed %q", out.Green, out.Grade, out.Reasons, out.Doubts, out.Fixed)
		}
	})
}

// onePom is a build of one module.
const onePom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>shop</groupId>
  <artifactId>one</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.11.4</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>3.5.2</version>
      </plugin>
    </plugins>
  </build>
</project>
`

func pomOf(t *testing.T, r repository) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, "pom.xml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
