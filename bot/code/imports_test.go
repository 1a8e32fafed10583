package code

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestE3ImportsAreMergedAsTheFileHasThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, path, src, add, want string }{
		{"sorted among plain imports", "a.py", "import ast\nimport sys\n\nx = 1\n", "import os", "import ast\nimport os\nimport sys\n\nx = 1\n"},
		{"plain before from", "a.py", "from a import b\n", "import os\n", "import os\n\nfrom a import b\n"},
		{"a list on one line", "a.py", "from m import a, c\n", "from m import b", "from m import a, b, c\n"},
		{"at the end of an unsorted list", "a.py", "from m import z, a\n", "from m import b", "from m import z, a, b\n"},
		{"a list in parentheses", "a.py", "from m import (\n    a,\n    c,\n)\n", "from m import b, d", "from m import (\n    a,\n    b,\n    c,\n    d,\n)\n"},
		{"a comment behind the last name", "a.py", "from m import (\n    a,\n    b  # why\n)\n", "from m import c", "from m import (\n    a,\n    b,  # why\n    c\n)\n"},
		{"a comment behind the last comma", "a.py", "from m import (\n    a,\n    b,  # why\n)\n", "from m import c", "from m import (\n    a,\n    b,  # why\n    c,\n)\n"},
		{"constants, classes, functions", "a.py", "from m import MAX, Box, add\n", "from m import Car", "from m import MAX, Box, Car, add\n"},
		{"a name behind a backslash", "a.py", "from m import \\\n    f\n", "from m import j", "from m import \\\n    f, j\n"},
		{"an alias", "a.py", "from m import a\n", "from m import b as c", "from m import a, b as c\n"},
		{"only what is missing", "a.py", "from m import a, b\n", "from m import b, c", "from m import a, b, c\n"},
		{"groups", "a.py", "import os\n\nimport numpy\n\nfrom . import x\n", "import sys\nimport requests\nfrom .y import z", "import os\nimport sys\n\nimport numpy\nimport requests\n\nfrom . import x\nfrom .y import z\n"},
		{"a group of its own", "a.py", "import os\n\nx = 1\n", "import numpy as np", "import os\n\nimport numpy as np\n\nx = 1\n"},
		{"a group before the others", "a.py", "\"\"\"Doc.\"\"\"\n\nimport numpy\n", "import os", "\"\"\"Doc.\"\"\"\n\nimport os\n\nimport numpy\n"},
		{"future comes first", "a.py", "\"\"\"Doc.\"\"\"\nimport os\n", "from __future__ import annotations", "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\n\nimport os\n"},
		{"no import yet", "a.py", "def f():\n    pass\n", "import os", "import os\n\ndef f():\n    pass\n"},
		{"no import, a docstring", "a.py", "#!/usr/bin/env python3\n\"\"\"Doc.\"\"\"\n\ndef f():\n    pass\n", "import os", "#!/usr/bin/env python3\n\"\"\"Doc.\"\"\"\n\nimport os\n\ndef f():\n    pass\n"},
		{"no import, a shebang", "a.py", "#!/usr/bin/env python3\nprint(1)\n", "import os", "#!/usr/bin/env python3\n\nimport os\n\nprint(1)\n"},
		{"an empty file", "a.py", "", "import os", "import os\n"},
		{"carriage returns", "a.py", "import ast\r\nimport sys\r\n", "import os", "import ast\r\nimport os\r\nimport sys\r\n"},
		{"no last newline", "a.py", "import ast", "import os", "import ast\nimport os"},
		{"a byte order mark", "a.py", "\ufeffimport sys\n", "import os", "\ufeffimport os\nimport sys\n"},
		{"a comment above goes with its import", "a.py", "import ast\n# for paths\nimport sys\n", "import os", "import ast\nimport os\n# for paths\nimport sys\n"},
		{"a long line is wrapped", "a.py", "from some.package.module import alpha_function, beta_function, delta_function\n", "from some.package.module import gamma_function",
			"from some.package.module import (\n    alpha_function,\n    beta_function,\n    delta_function,\n    gamma_function,\n)\n"},
		{"a star does not take names", "a.py", "from m import *\n", "from m import a", "from m import *\nfrom m import a\n"},
		{"imports inside code stay", "a.py", "import os\n\ndef f():\n    import json\n", "import json", "import json\nimport os\n\ndef f():\n    import json\n"},

		{"a named import", "a.js", "import { a, c } from './m';\n", "import { b } from './m'", "import { a, b, c } from './m';\n"},
		{"beside a default", "a.ts", "import d from \"m\"\n", "import { b } from 'm';", "import d, { b } from \"m\"\n"},
		{"a default beside names", "a.ts", "import { b } from 'm';\n", "import d from 'm';", "import d, { b } from 'm';\n"},
		{"a namespace stands alone", "a.ts", "import { b } from 'm';\n", "import * as m from 'm';", "import { b } from 'm';\nimport * as m from 'm';\n"},
		{"types apart", "a.ts", "import { b } from 'm';\n", "import type { T } from 'm';", "import { b } from 'm';\nimport type { T } from 'm';\n"},
		{"one name a line", "a.tsx", "import {\n  a,\n  c,\n} from 'm';\n", "import { b, d } from 'm';", "import {\n  a,\n  b,\n  c,\n  d,\n} from 'm';\n"},
		{"the file's quotes and semicolons", "a.js", "import a from \"a\"\nimport c from \"c\"\n", "import b from 'b';", "import a from \"a\"\nimport b from \"b\"\nimport c from \"c\"\n"},
		{"tight braces", "a.js", "import {a} from 'm';\n", "import { x } from 'n';", "import {a} from 'm';\nimport {x} from 'n';\n"},
		{"groups of modules", "a.js", "import fs from 'fs';\n\nimport React from 'react';\n\nimport x from './x';\n", "import path from 'path';\nimport y from './y';\nimport lodash from 'lodash';",
			"import fs from 'fs';\nimport path from 'path';\n\nimport lodash from 'lodash';\nimport React from 'react';\n\nimport x from './x';\nimport y from './y';\n"},
		{"an import becomes a require", "a.js", "const fs = require('fs');\n\nmodule.exports = fs;\n", "import { join } from 'path';", "const fs = require('fs');\nconst { join } = require('path');\n\nmodule.exports = fs;\n"},
		{"a default and names become two requires", "a.js", "const fs = require('fs');\n", "import p, { join } from 'path';", "const fs = require('fs');\nconst p = require('path');\nconst { join } = require('path');\n"},
		{"a require becomes an import", "a.mjs", "import fs from 'fs';\n", "const { join: j } = require('path');", "import fs from 'fs';\nimport { join as j } from 'path';\n"},
		{"a require's names", "a.js", "const { a, c } = require('m');\n", "const { b } = require('m');", "const { a, b, c } = require('m');\n"},
		{"behind 'use strict'", "a.js", "'use strict';\n\nfoo();\n", "import a from 'a';", "'use strict';\n\nimport a from 'a';\n\nfoo();\n"},
		{"a side effect", "a.js", "import a from 'a';\n", "import './style.css';", "import a from 'a';\nimport './style.css';\n"},

		{"a list", "a.go", "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n", "import \"io\"", "package p\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n)\n"},
		{"bare specs", "a.go", "package p\n\nimport (\n\t\"fmt\"\n)\n", "\"io\"\nx \"y.org/x\"", "package p\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\n\tx \"y.org/x\"\n)\n"},
		{"the group of the same module", "a.go", "package p\n\nimport (\n\t\"fmt\"\n\n\t\"x.org/lib\"\n\n\t\"me.org/mod/a\"\n\t\"me.org/mod/c\"\n)\n", "import \"me.org/mod/b\"",
			"package p\n\nimport (\n\t\"fmt\"\n\n\t\"x.org/lib\"\n\n\t\"me.org/mod/a\"\n\t\"me.org/mod/b\"\n\t\"me.org/mod/c\"\n)\n"},
		{"one import becomes a list", "a.go", "package p\n\nimport \"os\"\n", "import \"fmt\"", "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n"},
		{"one import keeps its comment", "a.go", "package p\n\nimport \"os\" // files\n", "import \"x.org/y\"", "package p\n\nimport (\n\t\"os\"\n\n\t\"x.org/y\"\n) // files\n"},
		{"one import with a comment inside", "a.go", "package p\n\nimport /* files */ \"os\"\n", "import \"fmt\"", "package p\n\nimport \"fmt\"\nimport /* files */ \"os\"\n"},
		{"no import yet, a build tag", "a.go", "//go:build linux\n\npackage p\n\nfunc f() {}\n", "import \"fmt\"", "//go:build linux\n\npackage p\n\nimport \"fmt\"\n\nfunc f() {}\n"},
		{"cgo stays alone", "a.go", "package p\n\n// #include <x.h>\nimport \"C\"\n", "import \"fmt\"", "package p\n\nimport \"fmt\"\n\n// #include <x.h>\nimport \"C\"\n"},

		{"java", "A.java", "package x;\n\nimport a.B;\nimport c.D;\n\nclass A {}\n", "import b.C;", "package x;\n\nimport a.B;\nimport b.C;\nimport c.D;\n\nclass A {}\n"},
		{"rust", "a.rs", "use std::fs;\n\nfn f() {}\n", "use std::io;", "use std::fs;\nuse std::io;\n\nfn f() {}\n"},
		{"ruby", "a.rb", "require 'json'\nrequire_relative 'x'\n", "require 'set'", "require 'json'\nrequire 'set'\nrequire_relative 'x'\n"},
		{"php", "a.php", "<?php\n\nnamespace A;\n\nuse B\\C;\nuse D\\E;\n", "use C\\D;", "<?php\n\nnamespace A;\n\nuse B\\C;\nuse C\\D;\nuse D\\E;\n"},
		{"php, the first", "a.php", "<?php\ndeclare(strict_types=1);\nnamespace A;\n\nclass B {}\n", "use C\\D;", "<?php\ndeclare(strict_types=1);\nnamespace A;\n\nuse C\\D;\n\nclass B {}\n"},
		{"c", "a.c", "#include <stdio.h>\n#include \"a.h\"\n", "#include <string.h>", "#include <stdio.h>\n#include <string.h>\n#include \"a.h\"\n"},
		{"c, the first of its kind", "a.c", "#include <stdio.h>\n\nint a;\n", "#include \"a.h\"", "#include <stdio.h>\n#include \"a.h\"\n\nint a;\n"},
		{"a header with a guard", "a.h", "#ifndef A\n#define A\n\nint a;\n\n#endif\n", "#include <b.h>", "#ifndef A\n#define A\n\n#include <b.h>\n\nint a;\n\n#endif\n"},
		{"c++", "a.cc", "// About.\n\n#include \"a.h\"\n\n#include <map>\n#include <vector>\n", "#include <string>", "// About.\n\n#include \"a.h\"\n\n#include <map>\n#include <string>\n#include <vector>\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := []byte(c.src)
			out, _, how, err := AddImport(t.Context(), c.path, src, c.add)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != c.want {
				t.Errorf("got\n%s\nwant\n%s", out, c.want)
			}
			if how.Score != 1 || how.By != "module" && how.By != "group" {
				t.Errorf("resolved %+v", how)
			}
			again, _, _, err := AddImport(t.Context(), c.path, out, c.add)
			if !errors.Is(err, ErrNoChange) || !bytes.Equal(again, out) {
				t.Errorf("a second time: %v\n%s", err, again)
			}
		})
	}
}

func TestE3WhatIsNoImportIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, text, says string }{
		{"a.py", "x = 1", `line 1 reads "x = 1"; give import statements only`},
		{"a.py", "import os\nos.remove('x')", `line 2 reads "os.remove('x')"`},
		{"a.py", "from m import", "give import statements only"},
		{"a.py", "  ", "the text is empty"},
		{"a.js", "alert(1)", "give import statements only"},
		{"a.go", "import \"fmt\"\nfunc init() {}", "give import declarations only"},
		{"a.rb", "system 'x'", "one import a line"},
		{"a.php", "system('x');", "one import a line"}, {"a.c", "#define A", "one import a line"}, {"a.cc", "int a;", "one import a line"},
		{"a.txt", "import os", "edit the region that holds them"},
	} {
		_, _, _, err := AddImport(t.Context(), c.path, []byte("import os\n"), c.text)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q: %v", c.path, c.text, err)
		}
	}
}

var importTexts = []string{
	"import os", "from m import a", "from m import b as c, d", "from . import x", "from __future__ import annotations",
	"import a from 'a'", "import {b} from './b'", "import * as n from 'n'", "const {x: y} = require('x')", "import 'y'", "import type {T} from 't'",
	"import \"fmt\"", "x \"a.b/c\"", "import (\n\"io\"\n_ \"x.y/z\"\n)", "use a::b;", "import a.b.C;", "require 'x'", "use A\\B;", "require_once 'x.php';", "#include <a.h>", "#include \"a.h\"",
}

// checkImport holds the promise of AddImport for any file: every byte of the
// file stays, in its order; a file that parsed still does, and has the import.
func checkImport(t rapid.TB, path string, src []byte, add string) {
	t.Helper()
	ctx := context.Background()
	keep := bytes.Clone(src)
	out, _, _, err := AddImport(ctx, path, src, add)
	if !bytes.Equal(src, keep) {
		t.Fatal("the source was written to")
	}
	switch {
	case errors.Is(err, ErrNoChange):
		if !bytes.Equal(out, src) {
			t.Fatalf("no change, but other bytes: %q", out)
		}
		return
	case err != nil:
		return
	}
	if !embedded(src, out) {
		t.Fatalf("adding %q lost bytes of the file:\n%.600q\n%.600q", add, src, out)
	}
	before, err := Check(ctx, path, src)
	if err != nil || len(before) > 0 || !parses(ctx, path, src) || !soundAlone(ctx, path, add) {
		return
	}
	if after, err := Check(ctx, path, out); err != nil || len(after) > 0 {
		t.Fatalf("adding %q breaks the file: %v %v\n%.600q\n%.600q", add, after, err, src, out)
	}
	if _, _, _, err := AddImport(ctx, path, out, add); !errors.Is(err, ErrNoChange) {
		t.Fatalf("%q is not there after it was added: %v\n%.600q\n%.600q", add, err, src, out)
	}
}

// soundAlone tells whether an import is right in a file of its own: the trees
// let some through that the languages' own readers do not.
func soundAlone(ctx context.Context, path, add string) bool {
	empty := ""
	if LanguageOf(path) == Go {
		empty = "package p\n"
	}
	out, _, _, err := AddImport(ctx, path, []byte(empty), add)
	if err != nil {
		return false
	}
	errs, err := Check(ctx, path, out)
	return err == nil && len(errs) == 0 && parses(ctx, path, out)
}

func parses(ctx context.Context, path string, src []byte) bool {
	t, err := Parse(ctx, LanguageOf(path), src)
	return err == nil && !t.HasError()
}

// embedded tells whether all bytes of src that are no white space, comma or
// bracket stand in out in their order.
func embedded(src, out []byte) bool {
	i := 0
	for _, c := range out {
		for i < len(src) && slices.Contains([]byte(" \t\r\n,()"), src[i]) {
			i++
		}
		if i < len(src) && src[i] == c {
			i++
		}
	}
	return len(bytes.Trim(src[i:], " \t\r\n,()")) == 0
}

func TestE3ImportsOfRealFiles(t *testing.T) {
	t.Parallel()
	files := realSources(t, 40)
	for path, src := range files {
		for _, add := range importTexts {
			checkImport(t, path, src, add)
		}
	}
	t.Logf("%d files", len(files))
}

func FuzzAddImport(f *testing.F) {
	for i, path := range fuzzPaths {
		f.Add(i, []byte(samples[path]), importTexts[i])
	}
	for i, add := range importTexts {
		f.Add(i%3, []byte("import a\nfrom m import (\n b,  # c\n)\n"), add)
		f.Add(1, []byte("import {\r\n a, // x\r\n} from 'm'\r\nconst {c}=require('d')"), add)
		f.Add(3, []byte("package p\nimport (\n\"a\" // x\n\n\"b\")\nimport \"C\"\n"), add)
	}
	f.Add(3, []byte("ckage p\nimport \x00\x00\x7f\xff\" // x\n\n\")\nimportrt \x7fC\""), "import (\n\"io\"\n_ \"x.y/z\"\n)")
	f.Add(0, []byte("from m import \nf"), "from m import j")
	f.Fuzz(func(t *testing.T, language int, src []byte, add string) {
		path := fuzzPaths[(language%len(fuzzPaths)+len(fuzzPaths))%len(fuzzPaths)]
		if len(src) > 20_000 || len(add) > 2_000 {
			return
		}
		checkImport(t, path, src, add)
	})
}

// A file without semicolons may go on with a line that an import before it
// would swallow: require("m") and a bracket are a call.
func TestE3AnImportBeforeABracketEndsWithASemicolon(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"(function () { exports.a = 1 })()\n": "const m = require('m');\n\n(function () { exports.a = 1 })()\n",
		"const a = require('a')\nfoo()\n":     "const a = require('a')\nconst m = require('m')\nfoo()\n",
	} {
		out, _, _, err := AddImport(t.Context(), "a.cjs", []byte(src), "const m = require('m')")
		if err != nil || string(out) != want {
			t.Errorf("%q became %q, %v", src, out, err)
		}
	}
}
