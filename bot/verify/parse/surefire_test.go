package parse

import (
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func javaTree(suffix string) string {
	switch suffix {
	case "shop/PriceTest.java":
		return "core/src/test/java/shop/PriceTest.java"
	case "shop/Price.java":
		return "core/src/main/java/shop/Price.java"
	}
	return ""
}

// Maven 3.8.7 with surefire 3.5.2 printed these.
func TestC3WhatKeepsABuildFromItsTestsIsNamed(t *testing.T) {
	t.Parallel()
	at := Place{Root: "/work", Suite: "maven", Find: javaTree}
	for name, c := range map[string]struct {
		text    string
		want    task.Failure // its test, exception, message, file and line
		missing []string
	}{
		"a method that is not there": {"[ERROR] COMPILATION ERROR : \n[ERROR] /work/core/src/test/java/shop/PriceTest.java:[15,31] cannot find symbol\n  symbol:   method one(int,int)\n  location: class shop.Price\n[INFO] 1 error\n[INFO] BUILD FAILURE\n" +
			"[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.1:testCompile (default-testCompile) on project core: Compilation failure: Compilation failure: \n[ERROR] /work/core/src/test/java/shop/PriceTest.java:[15,31] cannot find symbol\n[ERROR]   symbol:   method one(int,int)\n[ERROR]   location: class shop.Price\n",
			task.Failure{Test: "core/shop.PriceTest", Exception: "CompileError", Message: "cannot find symbol: symbol: method one(int,int)", File: "core/src/test/java/shop/PriceTest.java", Line: 15}, []string{"#one"}},
		"a package that is not there": {"[ERROR] /work/core/src/test/java/shop/PriceTest.java:[7,17] package shop.more does not exist\n",
			task.Failure{Test: "core/shop.PriceTest", Exception: "CompileError", Message: "package shop.more does not exist", File: "core/src/test/java/shop/PriceTest.java", Line: 7}, []string{"shop/more"}},
		"what was not fetched": {"[ERROR] Failed to execute goal on project core: Could not resolve dependencies for project shop:core:jar:1: Cannot access central in offline mode and the artifact a:b:jar:1 has not been downloaded from it before. -> [Help 1]\n",
			task.Failure{Exception: "DependencyMissing", Message: "Failed to execute goal on project core: Could not resolve dependencies for project shop:core:jar:1: Cannot access central in offline mode and the artifact a:b:jar:1 has not been downloaded from it before.; there is no network where tests run: fetch what the build needs once, by a run of its tests where there is one"}, nil},
		"a cache that cannot be made": {"[ERROR] Could not create local repository at /m2 -> [Help 1]\n[ERROR] \n", task.Failure{Exception: "BuildFailed", Message: "Could not create local repository at /m2"}, nil},
		"a process that ended": {"[INFO] Running shop.PriceTest\n[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.5.2:test (default-test) on project core: \n[ERROR] \n[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?\n",
			task.Failure{Test: "shop.PriceTest", Exception: "ProcessDied", Message: "the forked virtual machine died"}, nil},
		"a compiler's error in Gradle": {"/work/core/src/test/java/shop/PriceTest.java:9: error: cannot find symbol\n        Price.one(2, 3);\n             ^\n  symbol:   method one(int,int)\n  location: class Price\n1 error\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':compileTestJava'.\n> Compilation failed; see the compiler error output for details.\n\n* Try:\n",
			task.Failure{Test: "core/shop.PriceTest", Exception: "CompileError", Message: "cannot find symbol: symbol: method one(int,int)", File: "core/src/test/java/shop/PriceTest.java", Line: 9}, []string{"#one"}},
		"a build script of Gradle": {"* What went wrong:\nA problem occurred evaluating root project 'x'.\n> Plugin with id 'y' not found.\n\n* Try:\nRun with --stacktrace\n", task.Failure{Exception: "BuildFailed", Message: "A problem occurred evaluating root project 'x'.\n> Plugin with id 'y' not found."}, nil},
		"a rule told below": {"[ERROR] Failed to execute goal a:enforce (x) on project core: \n[ERROR] Rule 0: RequireMavenVersion failed with message:\n[ERROR] Detected Maven Version: 3.8.7 is not in the allowed range [3.9,).\n[ERROR] -> [Help 1]\n[ERROR] \n",
			task.Failure{Exception: "BuildFailed", Message: "Failed to execute goal a:enforce (x) on project core: \nRule 0: RequireMavenVersion failed with message:\nDetected Maven Version: 3.8.7 is not in the allowed range [3.9,)."}, nil},
		"a plugin's rule": {"[ERROR] Failed to execute goal org.apache.maven.plugins:maven-enforcer-plugin:3.0.0:enforce (x) on project core: Some Enforcer rules have failed. -> [Help 1]\n",
			task.Failure{Exception: "BuildFailed", Message: "Failed to execute goal org.apache.maven.plugins:maven-enforcer-plugin:3.0.0:enforce (x) on project core: Some Enforcer rules have failed."}, nil},
	} {
		rep := Read(Surefire, []byte(c.text), at)
		if len(rep.Broken) != 1 {
			t.Errorf("%s: %+v", name, rep.Broken)
			continue
		}
		f := rep.Broken[0]
		if got := (task.Failure{Test: f.Test, Exception: f.Exception, Message: f.Message, File: f.File, Line: f.Line}); got.Test != c.want.Test || got.Exception != c.want.Exception || got.Message != c.want.Message || got.File != c.want.File || got.Line != c.want.Line || !slices.Equal(f.Missing, c.missing) {
			t.Errorf("%s: %+v, missing %q", name, got, f.Missing)
		}
	}
}

func TestC9WhatMavenPrintsStandsAgainstAReportFile(t *testing.T) {
	t.Parallel()
	const file = `<testsuite name="shop.PriceTest" tests="2"><testcase name="a" classname="shop.PriceTest"/><testcase name="b{int}[1]" classname="shop.PriceTest"/></testsuite>`
	// The classes beside a nested one are counted under its name.
	const said = "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.098 s <<< FAILURE! -- in shop.PriceTest$Several\n[ERROR] shop.PriceTest.b(int)[1] -- Time elapsed: 0.018 s <<< FAILURE!\n" +
		"org.opentest4j.AssertionFailedError: expected: <15> but was: <8>\n\tat shop.Price.total(Price.java:9)\n\tat shop.PriceTest.b(PriceTest.java:10)\n\n[INFO] BUILD SUCCESS\n"
	at := Place{Suite: "maven", Module: "core", Find: javaTree}
	rep := Printed(Read(JUnit, []byte(file), at), Read(Surefire, []byte(said), Place{Suite: "maven", Find: javaTree}))
	if len(rep.Tests) != 2 || rep.Tests[0].ID != "core/shop.PriceTest::a" || rep.Tests[0].Status != Passed || rep.Totals.Failed != 1 || !rep.Ended {
		t.Fatalf("%+v", rep)
	}
	if b := rep.Tests[1]; b.ID != "core/shop.PriceTest::b(int)[1]" || b.Status != Failed || b.Failure.File != "core/src/main/java/shop/Price.java" || b.Failure.Line != 9 || b.File != "core/src/test/java/shop/PriceTest.java" {
		t.Errorf("%+v, %+v", b, b.Failure)
	}
}

func TestC3GradleNamesTestsAsMavenDoes(t *testing.T) {
	t.Parallel()
	const file = `<testsuite name="PriceTest" tests="3"><testcase name="multiplies()" classname="PriceTest"/><testcase name="adds: two" classname="PriceTest"><failure message="java.lang.AssertionError: x" type="java.lang.AssertionError">java.lang.AssertionError: x
	at PriceTest.adds(PriceTest.java:7)
</failure></testcase><testcase name="[1] 5, 3" classname="PriceTest$Several"/></testsuite>`
	rep := Read(JUnit, []byte(file), Place{Suite: "gradle", Module: "a/b"})
	var got []string
	for _, test := range rep.Tests {
		got = append(got, test.ID+" "+test.Status)
	}
	if want := []string{"a/b/PriceTest$Several::[1] 5, 3 passed", "a/b/PriceTest::adds: two failed", "a/b/PriceTest::multiplies passed"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
