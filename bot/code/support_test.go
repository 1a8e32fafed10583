package code

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestR2WhatOnlyTestsStandOn: files are "path: text" with lines cut at " | ".
func TestR2WhatOnlyTestsStandOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files []string
		want  []string
	}{
		"a shim outside test": {[]string{"package.json: {\"main\": \"./index.js\"}", "index.js: export const f = 1;", "test/a.js: import { deepEqual } from '../lib/assert-shim.js'; | import { f } from '../index.js';",
			"lib/assert-shim.js: import assert from 'node:assert'; | export const deepEqual = assert.deepEqual;"}, []string{"lib/assert-shim.js"}},
		"a shim by what it does": {[]string{"index.js: export const f = 1;", "test/a.js: import { deepEqual } from '../lib/ok.js'; | import { f } from '../index.js';",
			"lib/ok.js: import assert from 'node:assert'; | export const deepEqual = assert.deepEqual;"}, []string{"lib/ok.js"}},
		"ordinary code that asserts": {[]string{"a.js: export const f = 1;", "test/x.js: import { g } from '../lib/g.js'; | import { f } from '../a.js';",
			"lib/g.js: import assert from 'node:assert'; | export function g(x) { assert(x); return x; }"}, nil},
		"required, and jest's set-up": {[]string{"index.js: module.exports = 1;", "jest.config.js: module.exports = { setupFiles: ['./support/setup.js'] };", "support/setup.js: global.x = 1;",
			"test/a.test.js: const h = require('../support/helpers'); | const f = require('..'); | const g = require('../index')", "support/helpers.js: exports.h = 1;"}, []string{"support/helpers.js"}},
		"python helpers, one by way of another": {[]string{"shop.py: def f(): pass", "tests/test_a.py: from support.helpers import * | import shop", "support/__init__.py: ", "support/helpers.py: from support import fakes", "support/fakes.py: import unittest.mock"},
			[]string{"support/__init__.py", "support/fakes.py", "support/helpers.py"}},
		"go": {[]string{"go.mod: module example.com/m", "lib/lib.go: package lib", "lib/lib_test.go: package lib | import \"example.com/m/internal/testutil\"", "internal/testutil/eq.go: package testutil | import \"testing\""},
			[]string{"internal/testutil/eq.go"}},
		"go code uses it":            {[]string{"go.mod: module example.com/m", "lib/lib.go: package lib | import \"example.com/m/fixture\"", "lib/lib_test.go: package lib | import \"example.com/m/fixture\"", "fixture/f.go: package fixture"}, nil},
		"the go library itself":      {[]string{"go.mod: module example.com/mock", "mock.go: package mock | import \"testing\"", "all_test.go: package mock_test | import \"example.com/mock\""}, nil},
		"a small library":            {[]string{"mylib.py: def f(): pass", "tests/test_all.py: import mylib"}, nil},
		"a small library of Node":    {[]string{"src/index.js: export const f = 1;", "test/all.test.js: import { f } from '../src/index.js';"}, nil},
		"the library is a helper":    {[]string{"helpers.py: def f(): pass", "tests/test_all.py: from helpers import f"}, nil},
		"it is what is tested":       {[]string{"a.py: x = 1", "helpers.py: def f(): pass", "tests/test_helpers.py: from helpers import f | import a"}, nil},
		"ordinary code uses it":      {[]string{"a.py: from helpers import f", "helpers.py: def f(): pass", "tests/test_a.py: from helpers import f | import a"}, nil},
		"used by way of ordinary":    {[]string{"a.py: x = 1", "b.py: import helpers.x", "helpers/x.py: from helpers import y", "helpers/y.py: z = 1", "tests/test_a.py: from helpers import x, y | import a"}, nil},
		"part of the package":        {[]string{"lib/__init__.py: ", "lib/core.py: x = 1", "lib/testing.py: import pytest", "tests/test_a.py: from lib import core, testing"}, nil},
		"an entry of package.json":   {[]string{"package.json: {\"exports\": {\".\": \"./a.js\", \"./testing\": \"./lib/testing.js\"}}", "a.js: export const f = 1;", "lib/testing.js: export const g = 1;", "test/a.js: import { g } from '../lib/testing.js'; | import { f } from '../a.js';"}, nil},
		"an entry point of pytest":   {[]string{"pyproject.toml: pytest11 = {x = \"plugin\"}", "a.py: x = 1", "plugin.py: import pytest", "tests/test_a.py: import plugin | import a"}, nil},
		"imported in a way unknown":  {[]string{"a.js: const h = await import(`${root}/helpers.js`);", "lib/helpers.js: export const g = 1;", "test/a.js: import { g } from '../lib/helpers.js'; | import { f } from '../a.js';"}, nil},
		"nobody imports it":          {[]string{"a.py: x = 1", "helpers.py: import pytest", "tests/test_a.py: import a"}, nil},
		"helpers that go in circles": {[]string{"a.py: x = 1", "helpers/x.py: from helpers import y", "helpers/y.py: from helpers import x", "tests/test_a.py: import a"}, nil},
	} {
		tree := fstest.MapFS{}
		for _, f := range c.files {
			file, text, _ := strings.Cut(f, ": ")
			tree[file] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, " | ", "\n") + "\n")}
		}
		got, err := TestSupport(t.Context(), tree)
		if err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
