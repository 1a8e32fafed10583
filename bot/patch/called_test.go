package patch

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestE5WhatPipelinesCallIsProtectedAsTheyAre(t *testing.T) {
	const ci = ".github/workflows/ci.yml"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  map[string]string
	}{
		{"a script", map[string]string{ci: "jobs:\n  a:\n    steps:\n      - run: ./scripts/build.sh --fast\n", "scripts/build.sh": "make\n"}, map[string]string{"scripts/build.sh": ci}},
		{"in a block", map[string]string{ci: "      - run: |\n          set -e\n          bash -e tools/gen.bash\n          python3 -u tools/check.py a b\n", "tools/gen.bash": "x\n", "tools/check.py": "x = 1\n"},
			map[string]string{"tools/gen.bash": ci, "tools/check.py": ci}},
		{"without an ending", map[string]string{ci: "run: bin/setup && echo\n", "bin/setup": "#!/bin/sh\nx\n", "bin/data": "x\n"}, map[string]string{"bin/setup": ci}},
		{"behind another", map[string]string{".gitlab-ci.yml": "a:\n  script:\n    - node tools/a.js\n", "tools/a.js": "require('child_process').exec('sh tools/b.sh')\n", "tools/b.sh": "x\n"},
			map[string]string{"tools/a.js": ".gitlab-ci.yml", "tools/b.sh": "tools/a.js"}},
		{"in a folder", map[string]string{".circleci/config.yml": "working_directory: ~/x\n- run: cd web && sh tools/b.sh\n", "web/tools/b.sh": "x\n"}, map[string]string{"web/tools/b.sh": ".circleci/config.yml"}},
		{"by make", map[string]string{ci: "- run: make -j4 release V=1\n", "Makefile": "all:\n\tsh tools/all.sh\n\nrelease: sign\n\t@./tools/release.sh\n\nsign:\n\tpython tools/sign.py\n", "tools/all.sh": "x\n", "tools/release.sh": "x\n", "tools/sign.py": "x\n"},
			map[string]string{"tools/release.sh": "Makefile", "tools/sign.py": "Makefile"}},
		{"by npm", map[string]string{ci: "- run: npm run build\n", "package.json": `{"scripts": {"prebuild": "node tools/pre.js", "build": "npm run two", "two": "sh tools/two.sh", "other": "sh tools/other.sh"}}`, "tools/pre.js": "x\n", "tools/two.sh": "x\n", "tools/other.sh": "x\n"},
			map[string]string{"tools/pre.js": "package.json", "tools/two.sh": "package.json"}},
		{"by an install", map[string]string{ci: "- run: npm ci\n", "package.json": `{"scripts": {"postinstall": "node tools/post.js"}}`, "tools/post.js": "x\n"}, map[string]string{"tools/post.js": "package.json"}},

		{"test runners", map[string]string{ci: "- run: make test\n- run: npm test\n- run: pytest tests/test_a.py calc/core.py\n- run: go test ./core/...\n- run: python -m calc\n- run: node --test test/a.test.js\n",
			"Makefile": "test:\n\tgo test ./...\n\tpython -m pytest calc\n", "package.json": `{"main": "index.js", "scripts": {"test": "node --test && node index.js"}}`, "index.js": "x\n", "test/a.test.js": "x\n",
			"tests/test_a.py": "x\n", "calc/core.py": "x\n", "calc/__init__.py": "\n", "calc/__main__.py": "\n", "core/core.go": "package core\n"}, nil},
		{"the product by its path", map[string]string{ci: "- run: python src/app.py\n- run: node lib/server.js &\n- run: python calc/cli.py\n", "src/app.py": "x\n", "lib/server.js": "x\n", "calc/cli.py": "x\n", "calc/__init__.py": ""}, nil},
		{"what is only named", map[string]string{ci: "on:\n  push:\n    paths:\n      - 'tools/**'\n# see tools/a.sh\nname: a\nwith:\n  file: tools/a.py\n- run: ruff check tools/a.py\n- run: black --check tools/a.py\n", "tools/a.py": "x\n", "tools/a.sh": "x\n"}, nil},
		{"what leaves the tree", map[string]string{ci: "- run: ../../../x.sh\n- run: sh /etc/a.sh\n", "x.sh": "x\n"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for name, text := range c.files {
				tree[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := Called(tree); !maps.Equal(got, c.want) {
				t.Errorf("called: %v, want %v", got, c.want)
			}
		})
	}
}

func TestE5ACalledScriptIsRefusedWithItsCaller(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".github/workflows/ci.yml": "- run: ./tools/build.sh\n", "tools/build.sh": "make\n", "tools/other.sh": "make\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit := func(name string) task.Patch {
		return task.Patch{Edits: []task.Edit{{Kind: task.EditSearch, Path: name, Code: "<<<<<<< SEARCH\nmake\n=======\ntrue\n>>>>>>> REPLACE\n"}}}
	}
	_, err := Preview(t.Context(), dir, edit("tools/build.sh"), Guard{})
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Rule != RuleProtected || !strings.Contains(refusal.Reason, "called by .github/workflows/ci.yml") {
		t.Errorf("a called script: %v", err)
	}
	if _, err := Preview(t.Context(), dir, edit("tools/build.sh"), Guard{AllowProtected: true}); err != nil {
		t.Errorf("with a human's yes: %v", err)
	}
	if _, err := Preview(t.Context(), dir, edit("tools/other.sh"), Guard{}); err != nil {
		t.Errorf("a script that nobody calls: %v", err)
	}
	g := Guard{Called: map[string]string{"tools/build.sh": "x"}}
	if got := []bool{g.IsProtected("tools/build.sh"), g.IsProtected("tools/other.sh"), g.IsProtected("deploy.sh")}; !slices.Equal(got, []bool{true, false, true}) {
		t.Errorf("protected: %v", got)
	}
}
