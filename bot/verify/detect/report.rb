# Runs test files of minitest or test-unit and writes what came of each test as
# RSpec's JSON formatter does: library, result file, files or patterns, options.
require "json"

library, out, *patterns = ARGV.take_while { |a| !a.start_with?("-") }
ARGV.shift(patterns.size + 2)

text = ->(s) { s.to_s.dup.force_encoding("UTF-8").scrub }
local = ->(f) { "./" + f.to_s.delete_prefix(Dir.pwd + "/") }
thrown = lambda do |e|
  { class: e.class.name, message: text[e.message], backtrace: (e.backtrace || []).first(200).map(&text) }
end
loaded, homes, broken, examples, written = [], {}, [], [], false

note = lambda do |suite, name, place, status, time, error|
  file = place && local[place.first]
  file = homes[suite] || file unless loaded.include?(file) # inherited: the file that was run
  examples << { full_description: text["#{suite}##{name}"], file_path: file, line_number: place&.last,
                status: status, run_time: time, exception: error }
end
write = lambda do
  written = true
  count = ->(s) { examples.count { |e| e[:status] == s } }
  File.write(out, JSON.generate(version: library, messages: broken, examples: examples, summary: {
    example_count: examples.size, failure_count: count["failed"], pending_count: count["pending"], errors_outside_of_examples_count: broken.size
  }))
end

case library
when "minitest"
  require "minitest"
  suites = -> { Minitest::Runnable.runnables }
  reporter = Class.new(Minitest::AbstractReporter) do
    define_method(:record) do |r|
      f = r.failure
      status = f.nil? ? "passed" : r.skipped? ? "pending" : "failed"
      note[r.klass, r.name, r.source_location, status, r.time, f && thrown[f.respond_to?(:error) ? f.error : f]]
    end
    define_method(:report) { write.call }
    define_method(:passed?) { broken.empty? }
  end
  # Behind all plugins: some put reporters of their own in the place of the others.
  Minitest.singleton_class.prepend(Module.new do
    define_method(:init_plugins) { |*a| super(*a).tap { self.reporter << reporter.new } }
  end)
when "test-unit"
  require "test/unit"
  require "test/unit/ui/testrunnermediator"
  suites = -> { Test::Unit::TestCase::DESCENDANTS }
  Test::Unit::UI::TestRunnerMediator.prepend(Module.new do
    define_method(:run) do
      faults = {}
      add_listener(Test::Unit::TestResult::FAULT) { |f| faults[f.test_name] ||= f unless f.is_a?(Test::Unit::Notification) }
      add_listener(Test::Unit::TestCase::FINISHED_OBJECT) do |t|
        f = faults.delete(t.name)
        status = f.nil? ? "passed" : [Test::Unit::Failure, Test::Unit::Error].any? { |c| c === f } ? "failed" : "pending"
        error = f && (f.respond_to?(:exception) ? thrown[f.exception] : { class: "Test::Unit::AssertionFailedError", message: text[f.message], backtrace: f.location.map(&text) })
        place = t.respond_to?(t.method_name, true) ? t.method(t.method_name).source_location : nil
        note[t.class.name, t.local_name, place, status, t.elapsed_time, error]
      end
      super().tap { write.call }
    end
  end)
end

patterns.flat_map { |p| File.exist?(p) ? [p] : Dir.glob(p).sort }.uniq.each do |f|
  before = suites.call.dup
  loaded << local[File.expand_path(f)]
  begin
    require File.expand_path(f)
  rescue ScriptError, StandardError => e
    broken << "An error occurred while loading #{loaded.last}.\n\n#{e.class}:\n#{text[e.message].gsub(/^/, "  ")}\n" + (e.backtrace || []).map { |l| "# #{text[l]}\n" }.join
  end
  (suites.call - before).each { |s| homes[s.name] ||= loaded.last }
end
require "minitest/autorun" if library == "minitest"
