package parse

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestC3UncaughtExceptionsOfRubyAndPHPAreRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		out, class, message, file string
		line                      int
		kind                      task.FailureKind
	}{
		"ruby": {"Run options: --seed 1\n/work/lib/price.rb:5:in `total': undefined method `each' for nil:NilClass (NoMethodError)\n\tfrom /work/test/a_test.rb:3:in `<top (required)>'\n\tfrom -e:1:in `<main>'\n",
			"NoMethodError", "undefined method `each' for nil:NilClass", "lib/price.rb", 5, task.FailException},
		"ruby 3.4": {"/work/lib/price.rb:5:in 'Shop.total': no (Shop::Closed)\n", "Closed", "no", "lib/price.rb", 5, task.FailException},
		"a library that is missing": {"<internal:/opt/ruby/kernel_require.rb>:85:in `require': cannot load such file -- minitest (LoadError)\n\tfrom /work/test/a_test.rb:1:in `<main>'\n",
			"LoadError", "cannot load such file -- minitest", "test/a_test.rb", 1, task.FailImport},
		"php": {"PHP Fatal error:  Uncaught TypeError: f(): Argument #1 must be of type int in /work/src/a.php:3\nStack trace:\n#0 /work/tests/ATest.php(9): f()\n#1 /opt/phpunit/Runner.php(4): ATest->testA()\n#2 {main}\n  thrown in /work/src/a.php on line 3\n",
			"TypeError", "f(): Argument #1 must be of type int", "src/a.php", 3, task.FailException},
		"php that cannot be parsed": {"PHP Parse error:  syntax error, unexpected end of file in /work/src/a.php on line 7\n", "ParseError", "syntax error, unexpected end of file", "src/a.php", 7, task.FailSyntax},
	} {
		if got := Sniff([]byte(c.out)); got != Traces {
			t.Errorf("%s is taken for %s", name, got)
		}
		all := Read(Traces, []byte(c.out), Place{}).Failures()
		if len(all) != 1 {
			t.Fatalf("%s: %+v", name, all)
		}
		if f := all[0]; f.Exception != c.class || f.Message != c.message || f.File != c.file || f.Line != c.line || f.Kind != c.kind {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestC3TheEndOfRailsTestsAndOfSpecsIsRecognised(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		out    string
		format Format
		red    string
		totals Totals
	}{
		"rails": {"Running 3 tests in a single process\nF\n\nFailure:\nCartTest#test_total [test/models/cart_test.rb:7]:\nExpected: 15\n  Actual: 8\n\n\nbin/rails test test/models/cart_test.rb:5\n\nE\n\nError:\nCartTest#test_gone:\nNoMethodError: undefined method `x' for nil:NilClass\n    app/models/cart.rb:3:in `x'\n    test/models/cart_test.rb:11:in `block in <class:CartTest>'\n\n\nbin/rails test test/models/cart_test.rb:9\n\n\nFinished in 0.1s, 30 runs/s, 20 assertions/s.\n3 runs, 2 assertions, 1 failures, 1 errors, 0 skips\n",
			XUnitText, "test/models/cart_test.rb > CartTest#test_gone|test/models/cart_test.rb > CartTest#test_total", Totals{Passed: 1, Failed: 1, Errors: 1}},
		"rspec, green":   {"..\n\nFinished in 0.1 seconds (files took 0.1 seconds to load)\n2 examples, 0 failures, 1 pending\n", RSpecText, "", Totals{Passed: 1, Skipped: 1}},
		"phpunit, green": {"PHPUnit 10.5.1 by Sebastian Bergmann and contributors.\n\n..\n\nOK (2 tests, 2 assertions)\n", PHPUnitText, "", Totals{Passed: 2}},
		"phpunit, minor": {"PHPUnit 11.0.0 by Sebastian Bergmann and contributors.\n\nOK, but there were issues!\nTests: 3, Assertions: 2, PHPUnit Deprecations: 1, Skipped: 1.\n", PHPUnitText, "", Totals{Passed: 2, Skipped: 1}},
	} {
		if got := Sniff([]byte(c.out)); got != c.format {
			t.Errorf("%s is taken for %s", name, got)
		}
		rep := Read(c.format, []byte(c.out), Place{})
		if red := strings.Join(red(rep), "|"); !rep.Ended || red != c.red || rep.Totals != c.totals {
			t.Errorf("%s: ended %t, red %q, %+v", name, rep.Ended, red, rep.Totals)
		}
	}
}
