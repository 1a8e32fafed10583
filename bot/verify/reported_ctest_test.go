package verify

import (
	"os"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

const cmakeProject = `-- CMakeLists.txt --
cmake_minimum_required(VERSION 3.14)
project(price CXX)
enable_testing()
add_library(price src/price.cc)
add_executable(plain test/plain.cc)
target_link_libraries(plain price)
add_test(NAME total.multiplies COMMAND plain multiplies)
add_test(NAME total.of_nothing COMMAND plain of_nothing)
find_package(GTest)
if(GTest_FOUND)
  add_executable(price_test test/price_test.cc)
  target_link_libraries(price_test price GTest::gtest_main)
  include(GoogleTest)
  gtest_discover_tests(price_test)
endif()
-- src/price.h --
#pragma once
#include <utility>
#include <vector>
int total(const std::vector<std::pair<int, int>>& items);
-- src/price.cc --
#include "price.h"

// The sum of all items: pairs of price and count.
int total(const std::vector<std::pair<int, int>>& items) {
  int sum = 0;
  for (const auto& item : items) {
    sum += item.first + item.second;
  }
  return sum;
}
-- test/plain.cc --
#undef NDEBUG
#include <cassert>
#include <string>
#include "../src/price.h"

int main(int, char** argv) {
  if (argv[1] == std::string("multiplies")) {
    assert(total({{5, 3}}) == 15);
  } else {
    assert(total({}) == 0);
  }
}
-- test/price_test.cc --
#include "../src/price.h"
#include <gtest/gtest.h>

TEST(Total, OfTwo) {
  EXPECT_EQ(total({{5, 3}, {1, 1}}), 16);
}
`

func TestC9AFixInCPPIsWitnessedByCTestAndAForgedOneIsNotReady(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	v := verifier(t)
	for _, tool := range []string{"ctest", "g++"} {
		if _, err := os.Stat("/usr/bin/" + tool); err != nil {
			t.Skipf("not run: %s is not on this machine; make setup-runners installs it", tool)
		}
	}
	project := cmakeProject
	if testing.Short() { // GoogleTest's headers are most of the compiler's work
		project = strings.Replace(project, "find_package(GTest)\n", "", 1)
	}
	r := from(t, project)
	before := baseline(t, v, r)
	red := strings.Join(before.Red(), " ")
	if red != "ctest:.:total.multiplies" && red != "ctest:.:Total.OfTwo ctest:.:total.multiplies" {
		t.Fatalf("red before: %q, %+v", red, before.Report.Broken)
	}
	if f := before.Report.Failures()[len(before.Report.Failures())-1]; f.File != "test/plain.cc" || f.Line != 8 || !strings.Contains(f.Message, "total({{5, 3}}) == 15") {
		t.Errorf("the failure: %+v", f)
	}
	src, err := os.ReadFile(r.dir + "/src/price.cc")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text  string
		ready bool
	}{
		"mended": {strings.Replace(string(src), "item.first + item.second", "item.first * item.second", 1), true},
		"ended":  {strings.NewReplacer("#include \"price.h\"", "#include \"price.h\"\n#include <unistd.h>", "sum += item.first", "_exit(0);\n    sum += item.first").Replace(string(src)), false},
		"begun":  {string(src) + "\n#include <unistd.h>\nstruct Early { Early() { _exit(0); } } early;\n", false},
	} {
		if testing.Short() && name == "begun" { // it ends its process as the other does, only earlier
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := from(t, project)
			mine.write(t, "src/price.cc", c.text)
			out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before})
			if ready := out.Green && out.Grade == Witnessed && len(out.Doubts)+len(out.Reach) == 0; ready != c.ready {
				t.Errorf("green %t, %s, %q, doubts %q, reach %v, checks %+v", out.Green, out.Grade, out.Reasons, out.Doubts, out.Reach, out.Checks)
			}
		})
	}
	t.Run("its build edited", func(t *testing.T) {
		t.Parallel()
		mine := from(t, project)
		mine.write(t, "CMakeLists.txt", "cmake_minimum_required(VERSION 3.14)\nproject(x)\nenable_testing()\nadd_test(NAME total.multiplies COMMAND true)\nadd_test(NAME total.of_nothing COMMAND true)\nadd_test(NAME Total.OfTwo COMMAND true)\n")
		mine.write(t, "src/price.cc", string(src)+"\n")
		if out := judge(t, v, Judge{Dir: mine.dir, Base: mine.base, Baseline: before}); out.Green || len(out.Restored) != 1 {
			t.Errorf("green %t, %q, restored %q", out.Green, out.Reasons, out.Restored)
		}
	})
}
