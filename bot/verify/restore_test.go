package verify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

func TestC6TestsAndTheirConfigurationAreRestoredByteForByte(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	r := from(t, "-- pytest.ini --\n[pytest]\r\n-- shop.py --\nx = 1\n-- tests/data/a b.json --\n{}\n-- tests/test_a.py --\ndef test_a(): pass\n-- go.mod --\nmodule x\n-- testdata/gold --\n\x00\xff\n-- tests/linked.py --\ny = 1\n")
	r.write(t, "shop.py", "x = 2\n")
	r.write(t, "pytest.ini", "[pytest]\n")
	r.write(t, "tests/data/a b.json", "[]")
	r.write(t, "testdata/gold", "gone")
	r.write(t, "conftest.py", "")
	r.write(t, "sub/x.pth", "import os")
	r.write(t, "tests/test_new.py", "def test_new(): pass\n")
	r.write(t, "tests/test_kept.py", "def test_kept(): pass\n")
	r.write(t, "lib.py", "z = 1\n")
	for _, p := range []string{"tests/test_a.py", "tests/linked.py"} {
		if err := os.Remove(filepath.Join(r.dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../shop.py", filepath.Join(r.dir, "tests/linked.py")); err != nil {
		t.Fatal(err)
	}
	b, err := v.open(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	undone, err := restore(b, r.base, nil, []string{"tests/test_kept.py"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"conftest.py", "pytest.ini", "sub/x.pth", "testdata/gold", "tests/data/a b.json", "tests/linked.py", "tests/test_a.py", "tests/test_new.py"}; !slices.Equal(undone, want) {
		t.Errorf("undone %q", undone)
	}
	for _, p := range []string{"pytest.ini", "tests/data/a b.json", "tests/test_a.py", "testdata/gold", "go.mod", "tests/linked.py"} {
		if got, err := b.ReadFile(p, 1<<20); err != nil || string(got) != readBase(t, r, p) {
			t.Errorf("%s is %q, %v", p, got, err)
		}
	}
	diff, err := changes(b, r.base)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range diff {
		paths = append(paths, c.Path)
	}
	if !slices.Equal(paths, []string{"lib.py", "shop.py", "tests/test_kept.py"}) {
		t.Errorf("changed: %q", paths)
	}
	if have, _ := os.ReadFile(filepath.Join(r.dir, "pytest.ini")); string(have) != "[pytest]\n" {
		t.Error("the tree itself was written to")
	}
}

func TestC6WhatDecidesOverTestsInABuildOfTheJVMIsRestored(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]bool{
		"pom.xml": true, "a/pom.xml": true, "mvnw": true, ".mvn/maven.config": true, "build.gradle": true, "a/build.gradle.kts": true, "settings.gradle": true, "gradle.properties": true,
		"gradlew": true, "gradle/wrapper/gradle-wrapper.properties": true, "gradle/libs.versions.toml": true, "buildSrc/src/main/java/A.java": true, "a/src/test/resources/x.txt": true,
		"src/main/resources/META-INF/services/x.Y": true, "src/main/resources/junit-platform.properties": true, "lib/a.jar": true, "target/classes/A.class": true, "src/integrationTest/java/A.java": true,
		"src/main/java/a/gradle/tool/A.java": false, "src/main/java/A.java": false, "src/main/resources/application.properties": false, "src/main/java/a/services/A.java": false,
	} {
		if Protected(p) != want {
			t.Errorf("%s: %t", p, !want)
		}
	}
}

func TestS12bModulesInThePlaceOfTheRunners(t *testing.T) {
	t.Parallel()
	tree, err := detect.Scan(files("tests/unit/test_a.py", "", "tests/unit/__init__.py", ""))
	if err != nil {
		t.Fatal(err)
	}
	dirs := importDirs(tree, nil)
	for p, found := range map[string]bool{"json.py": true, "src/json/__init__.py": true, "tests/types.py": true, "shop/types.py": false, "cart.py": false, "json.txt": false} {
		if got := shadows(p, dirs); (got != "") != found || found && !strings.Contains(got, p) {
			t.Errorf("%s: %q", p, got)
		}
	}
}

func TestC6WhatOnlyTestsStandOnIsRestored(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	r := from(t, `-- package.json --
{"type": "module", "main": "index.js", "scripts": {"test": "node --test"}}
-- index.js --
export const add = (a, b) => a - b;
-- lib/assert-shim.js --
import assert from 'node:assert';
export const same = (a, b) => assert.deepEqual(a, b);
-- test/add.test.js --
import { test } from 'node:test';
import { add } from '../index.js';
import { same } from '../lib/assert-shim.js';
test('adds', () => same(add(1, 2), 3));
`)
	b := baseline(t, v, r)
	r.write(t, "lib/assert-shim.js", "export const same = () => undefined;\n")
	got := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: b})
	if got.Green || !slices.Equal(got.Restored, []string{"lib/assert-shim.js"}) {
		t.Errorf("a shim that looks at nothing: green %v, restored %q", got.Green, got.Restored)
	}
}
