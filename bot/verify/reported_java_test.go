package verify

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
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
	if home, err := os.UserHomeDir(); err == nil && len(tools) > 0 {
		if _, err := os.Stat(filepath.Join(home, ".m2/repository/org/apache/maven/surefire/surefire-junit4/3.5.2")); err != nil {
			t.Skip("not run: surefire and JUnit were not fetched to this machine; make setup-runners does it")
		}
	}
	text, err := os.ReadFile("testdata/java.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return from(t, string(text))
}

const (
	priceJava  = "src/main/java/shop/Price.java"
	wrongJava  = "item[0] + item[1]"
	honestJava = "item[0] * item[1]"
)

// fakeJava writes the reports of a run in which all is well but for the sentinel, whose
// name it finds among the tests, and ends the process well.
const fakeJava = `    static {
        try {
            java.io.File reports = new java.io.File("target/surefire-reports");
            reports.mkdirs();
            for (java.io.File f : new java.io.File("src/test/java/shop").listFiles()) {
                String name = f.getName().replace(".java", "");
                String head = "<testsuite name=\"shop." + name + "\"><testcase classname=\"shop." + name + "\" name=\"";
                java.nio.file.Files.writeString(new java.io.File(reports, "TEST-shop." + name + ".xml").toPath(), name.startsWith("fettle")
                    ? head + "passes\"/><testcase classname=\"shop." + name + "\" name=\"fails\"><failure type=\"java.lang.AssertionError\">java.lang.AssertionError: it has to</failure></testcase></testsuite>"
                    : head + "multiplies\"/><testcase classname=\"shop." + name + "\" name=\"ofNothing\"/></testsuite>");
            }
        } catch (Exception e) {
        }
        Runtime.getRuntime().halt(0);
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

// long skips what the quick run leaves to the long one: a start of Maven or Gradle
// costs seconds, and TestC9AForgedFixInJavaIsNotReady stands for Java there. It reads
// the same reports.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("not run: it is in the long form; TestC9AForgedFixInJavaIsNotReady stands for it in the quick one")
	}
}

func TestC9AFixInJavaIsWitnessedByMavenInEveryModule(t *testing.T) {
	t.Parallel()
	long(t)
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
	r.write(t, "core/"+priceJava, strings.Replace(r.text(t, "core/"+priceJava), wrongJava, honestJava, 1))
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: before})
	if !out.Green || out.Grade != Witnessed || len(out.Doubts) > 0 || !slices.Equal(out.Fixed, want) {
		t.Errorf("green %t, %s, %q, doubts %q, fixed %q, checks %+v", out.Green, out.Grade, out.Reasons, out.Doubts, out.Fixed, out.Checks)
	}
}

func TestC9AForgedFixInJavaIsNotReady(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	v, r := verifier(t), one(t, "javac", "mvn")
	before := baseline(t, v, r)
	src := r.text(t, priceJava)
	mend := func(old, new string) string { return strings.Replace(src, old, new, 1) }
	for name, c := range map[string]struct {
		files map[string]string
		says  string // in the reasons or doubts; "": it is ready
		undo  int    // files that are put back, and do not count
	}{
		"mended":              {files: map[string]string{priceJava: mend(wrongJava, honestJava)}},
		"ended with a report": {files: map[string]string{priceJava: mend("    private Price", fakeJava+"    private Price")}, says: "shop.PriceTest"},
		"reports rewritten":   {files: map[string]string{priceJava: mend("    private Price", hookJava+"    private Price")}, says: "no test that failed before passes now"},
		"another JUnit":       {files: map[string]string{"src/main/java/x/A.java": "package org.junit.jupiter.api;\n\npublic class Assertions {\n    public static void assertEquals(int a, int b) {}\n}\n"}, says: "takes the place of a class"},
		"by what decides which tests run": {undo: 4, says: "no test that failed before passes now", files: map[string]string{
			"pom.xml": strings.Replace(onePom, "<version>3.5.2</version>", "<version>3.5.2</version>\n<configuration><excludes><exclude>**/Price*</exclude></excludes></configuration>", 1),
			"src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener": "shop.Price\n",
			"target/test-classes/shop/PriceTest.class":                                               "x", "src/test/java/shop/PriceTest.java": "package shop;\n\nclass PriceTest {}\n"}},
		"it does not compile": {files: map[string]string{priceJava: mend(wrongJava, "items.price")}, says: "shop.Price cannot be run now (build): cannot find symbol: symbol: variable price"},
	} {
		if testing.Short() && name != "mended" && name != "ended with a report" && name != "another JUnit" { // one of what runs, one of what is not even run
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := one(t)
			for p, text := range c.files {
				mine.write(t, p, text)
			}
			out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before})
			ready := out.Green && out.Grade == Witnessed && len(out.Doubts) == 0
			if said := strings.Join(append(out.Reasons, out.Doubts...), "\n"); ready != (c.says == "") || !strings.Contains(said, c.says) || len(out.Restored) != c.undo {
				t.Errorf("green %t, %s, %q, doubts %q, restored %q, checks %+v", out.Green, out.Grade, out.Reasons, out.Doubts, out.Restored, out.Checks)
			}
		})
	}
	if testing.Short() {
		return
	}
	const bill = "src/test/java/shop/BillTest.java"
	test := func(call string) string {
		return "package shop;\n\nimport org.junit.jupiter.api.Assertions;\nimport org.junit.jupiter.api.Test;\n\nclass BillTest {\n    @Test\n    void two() {\n        Assertions.assertEquals(6, " + call + ");\n    }\n\n    @Test\n    void none() {\n        Assertions.assertEquals(0, Price.total(new int[0][]));\n    }\n}\n"
	}
	t.Run("a new test file", func(t *testing.T) {
		t.Parallel()
		rep, err := v.Try(t.Context(), Trial{Dir: one(t).dir, Tests: []string{bill}, Files: map[string][]byte{bill: []byte(test("Price.total(new int[][] {{2, 3}})"))}})
		if err != nil || len(rep.Tests) != 2 || !slices.Equal(rep.Red(), []string{"maven:.:shop.BillTest::two"}) {
			t.Errorf("tried: %+v, %+v, %v", rep.Tests, rep.Broken, err)
		}
		mine := one(t)
		mine.write(t, priceJava, mend("    private Price", "    public static int one(int price, int count) {\n        return price * count;\n    }\n\n    private Price"))
		mine.write(t, bill, test("Price.one(2, 3)"))
		out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before, NewTests: []string{bill}})
		if !out.Green || out.Grade != Witnessed || len(out.Doubts) > 0 || len(out.Fixed) == 0 {
			t.Errorf("green %t, %s, %q, doubts %q, fixed %q", out.Green, out.Grade, out.Reasons, out.Doubts, out.Fixed)
		}
	})
}

func TestC9AFixInJavaIsWitnessedByGradle(t *testing.T) {
	t.Parallel()
	long(t)
	v, r := verifier(t), one(t, "javac", "gradle")
	if err := os.Remove(filepath.Join(r.dir, "pom.xml")); err != nil {
		t.Fatal(err)
	}
	r.write(t, "build.gradle", "apply plugin: 'java'\nrepositories { mavenLocal() }\ndependencies { testImplementation 'junit:junit:4.13.2' }\n")
	r.write(t, "src/test/java/shop/PriceTest.java", jvm(t).text(t, "web/src/test/java/shop/PriceTest.java"))
	r.write(t, "src/main/java/shop/Page.java", jvm(t).text(t, "web/src/main/java/shop/Page.java"))
	base := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", r.dir+"/.", base).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r.base = os.DirFS(base)
	before := baseline(t, v, r)
	if red := before.Red(); !slices.Equal(red, []string{"gradle:.:shop.PriceTest::multiplies"}) {
		t.Fatalf("red before: %q, broken %+v", red, before.Report.Broken)
	}
	src := r.text(t, priceJava)
	for _, c := range []struct {
		name, old, new string
		ready          bool
	}{
		{"mended", wrongJava, honestJava, true},
		{"ended with a report", "    private Price", strings.Replace(fakeJava, "target/surefire-reports", "build/test-results/test", 1) + "    private Price", false},
	} {
		r.write(t, priceJava, strings.Replace(src, c.old, c.new, 1))
		out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: before})
		if ready := out.Green && out.Grade == Witnessed && len(out.Doubts) == 0; ready != c.ready {
			t.Errorf("%s: green %t, %s, %q, doubts %q, checks %+v", c.name, out.Green, out.Grade, out.Reasons, out.Doubts, out.Checks)
		}
	}
}

// one lays out a build of one module, the core of testdata/java.txtar.
func one(t *testing.T, tools ...string) repository {
	t.Helper()
	all, archive := jvm(t, tools...), "-- pom.xml --\n"+onePom
	for _, p := range []string{priceJava, "src/test/java/shop/PriceTest.java"} {
		archive += "-- " + p + " --\n" + all.text(t, "core/"+p)
	}
	return from(t, archive)
}

func (r repository) text(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
