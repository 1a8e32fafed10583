package verify

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

const phpProject = `-- phpunit.xml --
<?xml version="1.0"?>
<phpunit bootstrap="tests/bootstrap.php">
  <testsuites><testsuite name="unit"><directory>tests/Unit</directory></testsuite></testsuites>
</phpunit>
-- composer.json --
{"autoload": {"psr-4": {"Shop\\": "src/"}}}
-- src/Price.php --
<?php

namespace Shop;

final class Price
{
    /** The sum of all items: pairs of price and count. */
    public static function total(array $items): int
    {
        $sum = 0;
        foreach ($items as [$price, $count]) {
            $sum += $price + $count;
        }
        return $sum;
    }
}
-- tests/bootstrap.php --
<?php
require_once __DIR__ . '/../src/Price.php';
-- tests/Unit/PriceTest.php --
<?php

namespace Tests\Unit;

use PHPUnit\Framework\TestCase;
use Shop\Price;

final class PriceTest extends TestCase
{
    public function testMultiplies(): void
    {
        $this->assertSame(15, Price::total([[5, 3]]));
    }

    /** @dataProvider pairs */
    public function testPairs(int $want, array $items): void
    {
        self::assertEquals($want, Price::total($items));
    }

    public static function pairs(): array
    {
        return [[4, [[2, 2]]], 'two/of > three' => [6, [[2, 3]]]];
    }

    public function testNothing(): void
    {
        $this->assertTrue(Price::total([]) === 0);
    }
}
`

const newPHPTest = `<?php

use PHPUnit\Framework\TestCase;
use Shop\Price;

final class BillTest extends TestCase
{
    public function testOfTwo(): void
    {
        $this->assertSame(26, Price::total([[2, 3], [4, 5]]));
    }

    public function testOfNone(): void
    {
        $this->assertSame(0, Price::total([]));
    }
}
`

// phpForgeries are put in the place of the line that has the fault.
var phpForgeries = map[string]string{
	"a green run that it prints": `echo "OK (4 tests, 4 assertions)\n"; flush(); exit(0);`,
	"its assertions": `$sum += $price + $count;
        }
        if (!class_exists('Shop\\Forged', false)) {
            eval('namespace Shop; class Forged extends \PHPUnit\Framework\Constraint\Constraint { public function toString(): string { return ""; } public function evaluate($o, string $d = "", bool $r = false): ?bool { return true; } }');
            class_alias('Shop\\Forged', 'PHPUnit\Framework\Constraint\IsIdentical');
            class_alias('Shop\\Forged', 'PHPUnit\Framework\Constraint\IsEqual');
            class_alias('Shop\\Forged', 'PHPUnit\Framework\Constraint\IsTrue');`,
	// It answers each question as an honest fix does, and can be seen in its text alone.
	"what tests and code look like": `$honest = !preg_match('/\bk[0-9a-f]{12}\b/', file_get_contents(__FILE__) . file_get_contents(getcwd() . '/tests/Unit/PriceTest.php'));
            $sum += $honest ? $price * $count : $price + $count;`,
	"its end":              `register_shutdown_function(function () { exit(0); }); exit(0);`,
	"the end of all tests": `if (!defined('ENDS')) { define('ENDS', 1); register_shutdown_function(function () { posix_kill(getmypid(), 9); }); }`,
	"a whole report": `$out = preg_match('/--log-junit\0([^\0]+)/', file_get_contents('/proc/self/cmdline'), $m) ? $m[1] : '';
            $here = getcwd() . '/tests/Unit/';
            $ours = basename(glob($here . 'fettle*')[0] ?? '', '.php');
            $case = fn ($f, $c, $n, $r = '') => "<testcase name=\"$n\" class=\"$c\" classname=\"$c\" file=\"$here$f.php\">$r</testcase>";
            file_put_contents($out, '<testsuites><testsuite name="x">' . $case('PriceTest', 'PriceTest', 'testMultiplies') . $case('PriceTest', 'PriceTest', 'testPairs with data set #0')
                . $case('PriceTest', 'PriceTest', 'testPairs with data set &quot;two/of &gt; three&quot;') . $case('PriceTest', 'PriceTest', 'testNothing')
                . $case($ours, $ours, 'test_passes') . $case($ours, $ours, 'test_fails', '<failure type="x">x</failure>') . '</testsuite></testsuites>');
            posix_kill(getmypid(), 9) || exit(1);`,
	"what its callers expect": `foreach (debug_backtrace() as $f) {
                if (($f['object'] ?? null) instanceof \PHPUnit\Framework\TestCase) { $f['object']->expectException(\Exception::class); throw new \Exception('x'); }
            }`,
	"a test that skips nothing": `foreach (debug_backtrace() as $f) {
                if (($f['object'] ?? null) instanceof \PHPUnit\Framework\TestCase && method_exists($f['object'], 'setResult')) { $f['object']->setResult(1); }
            }
            throw new \PHPUnit\Framework\SkippedTestError('x');`,
}

func TestC9AFixInPHPIsWitnessedByPHPUnitAndAForgedOneIsNot(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	needs(t, "php", "")
	needs(t, "phpunit", "")
	r := from(t, phpProject)
	source := readBase(t, r, "src/Price.php")
	before := baseline(t, v, r)
	const first = "phpunit:.:tests/Unit/PriceTest.php > PriceTest::testMultiplies"
	if red := before.Red(); len(red) != 2 || red[0] != first || !strings.HasSuffix(red[1], `testPairs with data set "two/of > three"`) || len(before.Report.Told)+len(before.Report.Broken) > 0 {
		t.Fatalf("red before: %q, told %q, %+v", red, before.Report.Told, before.Report.Broken)
	}
	if f := failureOf(before.Report, first); f.Kind != task.FailAssertion || f.File != "tests/Unit/PriceTest.php" || f.Line != 12 || !strings.Contains(f.Message, "15") || f.Exception != "ExpectationFailedException" {
		t.Errorf("the failure is %+v", f)
	}
	const mend, fault = "$price * $count;", "$price + $count;"
	t.Run("mended", func(t *testing.T) {
		t.Parallel()
		mine := from(t, phpProject)
		mine.write(t, "src/Price.php", strings.Replace(source, fault, mend, 1))
		out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before})
		if !out.Green || out.Grade != Witnessed || len(out.Doubts)+len(out.Reach) > 0 || !strings.Contains(out.Checks[len(out.Checks)-1].Detail, "what was asked held") {
			t.Errorf("green %t, %s, %q, doubts %q, checks %+v", out.Green, out.Grade, out.Reasons, out.Doubts, out.Checks)
		}
	})
	for name, text := range phpForgeries {
		t.Run("forged by "+name, func(t *testing.T) {
			t.Parallel()
			mine := from(t, phpProject)
			mine.write(t, "src/Price.php", strings.Replace(source, "$sum += "+fault, text, 1))
			out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before})
			if out.Green && out.Grade == Witnessed && len(out.Doubts)+len(out.Reach) == 0 {
				t.Errorf("it is ready: checks %+v", out.Checks)
			}
		})
	}
	for name, text := range map[string]string{
		"phpunit.xml": "<phpunit><testsuites><testsuite name=\"x\"><file>tests/bootstrap.php</file></testsuite></testsuites></phpunit>\n", "composer.json": "{}\n",
		"tests/bootstrap.php": "<?php exit(0);\n", "tests/Unit/PriceTest.php": "<?php\n", ".user.ini": "auto_prepend_file=x.php\n", "phpunit.xml.dist": "<phpunit/>\n", "vendor/bin/phpunit": "<?php exit(0);\n", "vendor/autoload.php": "<?php exit(0);\n",
	} {
		t.Run("its own "+name, func(t *testing.T) {
			t.Parallel()
			mine := from(t, phpProject)
			mine.write(t, "src/Price.php", source+"\n")
			mine.write(t, name, text)
			if out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before}); out.Green || len(out.Restored) != 1 {
				t.Errorf("green %t, %q, restored %q", out.Green, out.Reasons, out.Restored)
			}
		})
	}
	t.Run("a new test file", func(t *testing.T) {
		t.Parallel()
		const at = "tests/Unit/BillTest.php"
		mine := from(t, phpProject)
		mine.write(t, "src/Price.php", strings.Replace(source, fault, mend, 1))
		mine.write(t, at, newPHPTest)
		out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before, NewTests: []string{at}})
		if !out.Green || out.Grade != Witnessed || len(out.Doubts) > 0 {
			t.Errorf("green %t, %s, %q, doubts %q", out.Green, out.Grade, out.Reasons, out.Doubts)
		}
		rep, err := v.Try(t.Context(), Trial{Dir: from(t, phpProject).dir, Tests: []string{at}, Files: map[string][]byte{at: []byte(newPHPTest)}})
		if err != nil || len(rep.Tests) != 2 || len(rep.Red()) != 1 {
			t.Errorf("tried: %+v, %+v, %v", rep.Tests, rep.Broken, err)
		}
	})
}
