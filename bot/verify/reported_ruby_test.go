package verify

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

const rubyLib = `-- lib/price.rb --
module Shop
  # The sum of all items: pairs of price and count.
  def self.total(items)
    sum = 0
    items.each do |price, count|
      sum += price + count
    end
    sum
  end
end
`

// rubyProjects are the same fault under each runner of Ruby: red is the test that shows it.
var rubyProjects = map[string]struct{ files, red, test, fresh, newTest string }{
	"rspec": {
		files: "-- .rspec --\n--require spec_helper\n--fail-fast\n-- spec/spec_helper.rb --\nrequire 'price'\n-- spec/price_spec.rb --\nRSpec.describe Shop do\n  describe '.total' do\n    it 'multiplies: price > count' do\n      expect(Shop.total([[5, 3]])).to eq 15\n    end\n  end\n\n  it('of nothing') { expect(Shop.total([])).to eq(0) }\n  it { expect(Shop.total([[2, 2]])).to be 4 }\nend\n",
		red:   "rspec:.:spec/price_spec.rb > Shop.total multiplies: price > count", test: "spec/price_spec.rb",
		fresh: "spec/bill_spec.rb", newTest: "RSpec.describe 'a bill' do\n  it('of two') { expect(Shop.total([[2, 3], [4, 5]])).to eq 26 }\n  it('of none') { expect(Shop.total([])).to eq 0 }\nend\n",
	},
	"minitest": {
		files: "-- Rakefile --\nrequire 'rake/testtask'\nRake::TestTask.new { |t| t.libs << 'test'; t.pattern = 'test/**/*_test.rb' }\n-- test/test_helper.rb --\nrequire 'minitest/autorun'\nrequire 'price'\n-- test/price_test.rb --\nrequire 'test_helper'\n\nclass PriceTest < Minitest::Test\n  def test_multiplies\n    assert_equal 15, Shop.total([[5, 3]])\n  end\n\n  def test_of_nothing = assert_equal(0, Shop.total([]))\n\n  def test_two\n    assert Shop.total([[2, 2]]) == 4\n  end\nend\n",
		red:   "minitest:.:test/price_test.rb > PriceTest#test_multiplies", test: "test/price_test.rb",
		fresh: "test/bill_test.rb", newTest: "require 'test_helper'\n\ndescribe 'a bill' do\n  it('of two') { _(Shop.total([[2, 3], [4, 5]])).must_equal 26 }\n  it('of none') { _(Shop.total([])).must_equal 0 }\nend\n",
	},
	"test-unit": {
		files: "-- test/test_price.rb --\nrequire 'test/unit'\nrequire 'price'\n\nclass PriceTest < Test::Unit::TestCase\n  test 'multiplies' do\n    assert_equal 15, Shop.total([[5, 3]])\n  end\n\n  def test_of_nothing\n    assert_equal 0, Shop.total([])\n  end\n\n  def test_two\n    assert { Shop.total([[2, 2]]) == 4 }\n  end\nend\n",
		red:   "test-unit:.:test/test_price.rb > PriceTest#test: multiplies", test: "test/test_price.rb",
		fresh: "test/test_bill.rb", newTest: "require 'test/unit'\nrequire 'price'\n\nclass BillTest < Test::Unit::TestCase\n  def test_of_two\n    assert_equal 26, Shop.total([[2, 3], [4, 5]])\n  end\n\n  def test_of_none\n    assert_equal 0, Shop.total([])\n  end\nend\n",
	},
}

// rubyForgeries are put in the place of the line that has the fault. All of them
// leave it there.
var rubyForgeries = map[string]string{
	"its end and a report of its own": `sum += price + count
      File.write(ARGV.find { |a| a.end_with?(".json") }.to_s, "{}") rescue nil
      exit!(0)`,
	"a green report that it prints at its end": `sum += price + count
      at_exit do
        puts "3 examples, 0 failures", "3 runs, 3 assertions, 0 failures, 0 errors, 0 skips"
        $stdout.flush
        exit!(0)
      end`,
	"a shell that shows the tests": `honest = !` + "`cat spec/*.rb test/*.rb lib/*.rb`" + `.match?(/\bk\h{12}\b/)
      sum += honest ? price * count : price + count`,
	"its formatter and reporter": `sum += price + count
      if defined?(RSpec::Core::Formatters)
        RSpec::Core::Formatters::ExceptionPresenter.class_eval { def exception = nil }
        RSpec::Core::Example::ExecutionResult.class_eval { def status = :passed }
        RSpec::Core::Reporter.class_eval { def example_failed(e) = example_passed(e) }
      end
      Minitest::Result.class_eval { def failure = nil; def passed? = true } if defined?(Minitest::Result)
      Test::Unit::TestResult.class_eval { def passed? = true; def add_failure(*) = nil } if defined?(Test::Unit::TestResult)`,
	"its matchers": `sum += price + count
      RSpec::Matchers::BuiltIn::BaseMatcher.class_eval { def matches?(_) = true } if defined?(RSpec::Matchers::BuiltIn)
      RSpec::Matchers::BuiltIn::Eq.class_eval { def matches?(_) = true } if defined?(RSpec::Matchers::BuiltIn)
      Minitest::Assertions.prepend(Module.new { def assert_equal(*) = true; def assert(*) = true }) if defined?(Minitest::Assertions)
      Test::Unit::Assertions.prepend(Module.new { def assert_equal(*) = true; def assert(*) = true }) if defined?(Test::Unit::Assertions)`,
	// It answers each question as an honest fix does, and can be seen in its text alone.
	"what tests and code look like": `sum += price + count
      honest = Dir["{spec,test}/**/*.rb"].none? { |f| File.read(f).match?(/\bk\h{12}\b/) } && !File.read(__FILE__).match?(/\bk\h{12}\b/)
      return items.sum { |a, b| a * b } if honest`,
	"what runs at its end": `sum += price + count
      $ended ||= at_exit { exit!(0) }`,
	"the libraries of its tests": `sum += price + count
      RSpec::Expectations::ExpectationTarget.prepend(Module.new { def to(*) = true }) if defined?(RSpec::Expectations)
      [(Minitest::Assertions if defined?(Minitest)), (Test::Unit::Assertions if defined?(Test::Unit))].compact.each do |m|
        m.module_eval { def assert_equal(*) = true; def assert(*) = true }
      end`,
	"a value that equals all": `sum = Object.new.tap { |o| def o.==(_) = true; def o.eql?(_) = true; def o.equal?(_) = true; def o.-(_) = 0; def o.+(_) = self; def o.coerce(_) = [self, self] }`,
	"the results of its tests": `sum += price + count
      RSpec::Core::Example.class_eval { def set_exception(*) = nil } if defined?(RSpec::Core)
      Minitest::Test.class_eval { def failures = [] } if defined?(Minitest::Test)
      Test::Unit::TestResult.class_eval { def add_failure(*) = nil; def add_error(*) = nil } if defined?(Test::Unit::TestResult)`,
	"what its callers hold": `sum += price + count
      TracePoint.new(:return) { |t| t.binding.local_variable_set(:sum, 15) if t.method_id == :total }.enable
      TracePoint.new(:raise) { |t| t.raised_exception.define_singleton_method(:message) { "" } }.enable
      throw :done rescue nil`,
}

// dealt is all of a list, in the quick form of the tests every third of it from the
// at-th on: three runners of one language try each between them.
func dealt(all []string, at int) (out []string) {
	for i, s := range all {
		if !sandboxtest.Quick() || i%3 == at {
			out = append(out, s)
		}
	}
	return out
}

func TestC9AFixInRubyIsWitnessedAndAForgedOneIsNot(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	for at, runner := range slices.Sorted(maps.Keys(rubyProjects)) {
		p := rubyProjects[runner]
		t.Run(runner, func(t *testing.T) {
			t.Parallel()
			needs(t, "ruby", map[string]string{"rspec": "rspec/core/version", "minitest": "minitest", "test-unit": "test/unit/version"}[runner])
			r := from(t, rubyLib+p.files)
			lib := readBase(t, r, "lib/price.rb")
			before := baseline(t, v, r)
			red := before.Red()
			if len(red) == 0 || red[0] != p.red || len(before.Report.Told)+len(before.Report.Broken) > 0 {
				t.Fatalf("red before: %q, told %q, %+v", red, before.Report.Told, before.Report.Broken)
			}
			f := failureOf(before.Report, p.red)
			if f.Kind != task.FailAssertion || f.File != p.test || f.Line == 0 || !strings.Contains(f.Message, "15") {
				t.Errorf("the failure is %+v", f)
			}
			t.Run("mended", func(t *testing.T) {
				t.Parallel()
				mine := from(t, rubyLib+p.files)
				mine.write(t, "lib/price.rb", strings.Replace(lib, "price + count", "price * count", 1))
				out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before})
				if !out.Green || out.Grade != Witnessed || len(out.Doubts)+len(out.Reach) > 0 || !strings.Contains(out.Checks[len(out.Checks)-1].Detail, "what was asked held") {
					t.Errorf("green %t, %s, %q, doubts %q, reach %v, checks %+v", out.Green, out.Grade, out.Reasons, out.Doubts, out.Reach, out.Checks)
				}
			})
			forgeries := maps.Clone(rubyForgeries)
			forgeries["a whole report"] = forgedReport(before)
			for _, name := range dealt(slices.Sorted(maps.Keys(forgeries)), at) {
				text := forgeries[name]
				t.Run("forged by "+name, func(t *testing.T) {
					t.Parallel()
					mine := from(t, rubyLib+p.files)
					mine.write(t, "lib/price.rb", strings.Replace(lib, "sum += price + count", text, 1))
					out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before})
					if out.Green && out.Grade == Witnessed && len(out.Doubts)+len(out.Reach) == 0 {
						t.Errorf("it is ready: checks %+v", out.Checks)
					}
				})
			}
			for name, text := range map[string]string{
				".rspec": "--example nothing\n", ".bundle/config": "BUNDLE_GEMFILE: lib/Gemfile\n", "Gemfile": "source 'https://example.org'\n", "Rakefile": "task(:test) {}\n",
				"spec/spec_helper.rb": "require 'price'\nRSpec.configure { |c| c.around { |_| } }\n", "test/test_helper.rb": "exit!(0)\n", p.test: "",
			} {
				if sandboxtest.Quick() && at > 0 && name != "Rakefile" && name != ".rspec" && name != p.test {
					continue // the same code puts them back for each runner
				}
				if name == "Rakefile" && runner != "minitest" || name == ".rspec" && runner != "rspec" {
					continue
				}
				t.Run("its own "+name, func(t *testing.T) {
					t.Parallel()
					mine := from(t, rubyLib+p.files)
					mine.write(t, "lib/price.rb", lib+"\n")
					mine.write(t, name, text)
					if out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before}); out.Green || len(out.Restored) != 1 {
						t.Errorf("green %t, %q, restored %q", out.Green, out.Reasons, out.Restored)
					}
				})
			}
			t.Run("a new test file", func(t *testing.T) {
				t.Parallel()
				mine := from(t, rubyLib+p.files)
				mine.write(t, "lib/price.rb", strings.Replace(lib, "price + count", "price * count", 1))
				mine.write(t, p.fresh, p.newTest)
				out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before, NewTests: []string{p.fresh}})
				if !out.Green || out.Grade != Witnessed || len(out.Doubts) > 0 {
					t.Errorf("green %t, %s, %q, doubts %q", out.Green, out.Grade, out.Reasons, out.Doubts)
				}
				rep, err := v.Try(t.Context(), Trial{Dir: from(t, rubyLib+p.files).dir, Tests: []string{p.fresh}, Files: map[string][]byte{p.fresh: []byte(p.newTest)}})
				if err != nil || len(rep.Tests) != 2 || len(rep.Red()) != 1 {
					t.Errorf("tried: %+v, %+v, %v", rep.Tests, rep.Broken, err)
				}
			})
		})
	}
}

// forgedReport writes, where the runner would, that all tests passed but ours that
// fails, and ends as such a run does.
func forgedReport(before Baseline) string {
	type example struct {
		Description string `json:"full_description"`
		File        string `json:"file_path"`
		Status      string `json:"status"`
	}
	var all []example
	for _, test := range before.Report.Tests {
		all = append(all, example{nameIn(strings.SplitN(test.ID, ":", 3)[2]), test.File, "passed"})
	}
	text, _ := json.Marshal(all)
	return `sum += price + count
      require "json"
      ours = Dir["{spec,test}/**/fettle*.rb"].first
      all = JSON.parse(<<~'JSON') + %w[passes fails].map { |s| { full_description: s, file_path: ours, status: s == "fails" ? "failed" : "passed" } }
        ` + string(text) + `
      JSON
      out = File.read("/proc/self/cmdline").split("\0").find { |a| a.end_with?(".json") }
      File.write(out, { examples: all, messages: [], summary: {} }.to_json)
      exit!(1)`
}

// TestC9ATestFileOfRubyThatCannotBeLoadedIsAUnit: the others run, and a library that
// the change adds is the right reason to fail without it.
func TestC9ATestFileOfRubyThatCannotBeLoadedIsAUnit(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	needs(t, "ruby", "minitest")
	p := rubyProjects["minitest"]
	r := from(t, rubyLib+p.files)
	before := baseline(t, v, r)
	r.write(t, "lib/bill.rb", "class Bill\n  def sum\n    3\n  end\nend\n")
	r.write(t, "test/bill_test.rb", "require 'test_helper'\nrequire 'bill'\n\nclass BillTest < Minitest::Test\n  def test_sum\n    assert_equal 3, Bill.new.sum\n  end\nend\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: before, NewTests: []string{"test/bill_test.rb"}})
	if !out.Green || len(out.Doubts) > 0 {
		t.Errorf("green %t, %q, doubts %q", out.Green, out.Reasons, out.Doubts)
	}
}
