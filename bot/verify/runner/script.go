package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// Runners of JavaScript and TypeScript: a sentinel is a file beside another test file.

const scriptSentinel = "%stest('%s passes', () => {});\ntest('%s fails', () => { throw new Error('it has to'); });\n"

func layVitest(_ *detect.Tree, c detect.Command, word string) Sentinel {
	file, _ := beside(c, word)
	return Sentinel{File: file, Text: fmt.Sprintf(scriptSentinel, "import { test } from 'vitest';\n", word, word)}
}

func narrowVitest(c detect.Command, files, _ []string, s Sentinel) detect.Command {
	c.Argv = slices.Concat(c.Argv, []string{"--bail=0"}, s.with(c, files))
	return c
}

func layJest(_ *detect.Tree, c detect.Command, word string) Sentinel {
	file, ext := beside(c, word)
	head := "const test = globalThis.test;\n"
	if strings.Contains(ext, "ts") {
		head = "export {};\nconst test = (globalThis as any).test;\n"
	}
	return Sentinel{File: file, Text: fmt.Sprintf(scriptSentinel, head, word, word)}
}

func narrowJest(c detect.Command, files, _ []string, s Sentinel) detect.Command {
	c.Argv = append(slices.Clone(c.Argv), "--bail=0")
	if len(files) > 0 {
		c.Argv = slices.Concat(c.Argv, []string{"--runTestsByPath"}, s.with(c, files))
	}
	return c
}
