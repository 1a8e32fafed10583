package parse

import (
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
