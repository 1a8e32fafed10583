package code

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestM9NamesOfForeignPackagesAreKnownFromTheImports(t *testing.T) {
	t.Parallel()
	p := Listed([]string{"text/cut.go", "go.mod", "shop/cart.py", "packages/ui/src/button.ts", "src/cart.ts", "lib/util.js"}, "example.org/shop")
	for _, c := range []struct{ file, src, want string }{
		{"a.go", "package a\n\nimport (\n\t\"strings\"\n\tj \"encoding/json\"\n\t\"example.org/shop/text\"\n\t\"github.com/x/text\"\n\t\"github.com/x/yaml/v3\"\n\t\"gopkg.in/ini.v1\"\n)\n", "ini j strings yaml"},
		{"a.py", "import json, os.path\nimport numpy as np\nimport shop.cart\nfrom datetime import datetime as when, date\nfrom shop.cart import total\nfrom . import near\nfrom .far import away\n", "date json np os when"},
		{"a.ts", "import fs, { readFile as read } from 'node:fs';\nimport * as path from 'path';\nimport { total } from './src/cart';\nimport { Button } from '@shop/ui';\nimport { x } from '@/x';\nimport React from 'react';\nconst { join, sep: line } = require('path');\nconst own = require('./lib/util');\n", "React fs join line path read"},
		{"a.rb", "require 'json'\n", ""},
	} {
		got, err := p.Foreign(t.Context(), c.file, []byte(c.src))
		if err != nil || strings.Join(slices.Sorted(maps.Keys(got)), " ") != c.want {
			t.Errorf("%s: %v, %v", c.file, slices.Sorted(maps.Keys(got)), err)
		}
	}
}

func TestE7WhatAForeignPackageHasByTheSameNameIsNoReference(t *testing.T) {
	t.Parallel()
	p, err := NewProject(t.Context(), files(map[string]string{
		"go.mod":       "module example.org/shop\n",
		"text/text.go": "package text\n\ntype Text string\n\nfunc (t Text) Cut(n int) Text { return t[:n] }\n",
		"use/use.go":   "package use\n\nimport (\n\t\"strings\"\n\n\t\"example.org/shop/text\"\n)\n\nfunc Both(t text.Text) text.Text {\n\t_, _, _ = strings.Cut(string(t), \",\")\n\treturn t.Cut(3)\n}\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	refs, err := p.References(t.Context(), "text/text.go", "method:Text.Cut")
	if err != nil || len(refs) != 1 || refs[0].Line != 11 {
		t.Errorf("%+v, %v", refs, err)
	}
}
