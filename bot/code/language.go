package code

import (
	"path"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code/grammar"
)

// Language is a language that can be parsed, or "" for any other text.
type Language string

// The languages.
const (
	Unknown    Language = ""
	Python     Language = "python"
	JavaScript Language = "javascript"
	TypeScript Language = "typescript"
	TSX        Language = "tsx"
	Go         Language = "go"
	Java       Language = "java"
	Rust       Language = "rust"
	Ruby       Language = "ruby"
)

// LanguageOf tells the language of a file by its name.
func LanguageOf(file string) Language {
	switch strings.ToLower(path.Ext(file)) {
	case ".py", ".pyi", ".pyw":
		return Python
	case ".js", ".mjs", ".cjs", ".jsx":
		return JavaScript
	case ".ts", ".mts", ".cts":
		return TypeScript
	case ".tsx":
		return TSX
	case ".go":
		return Go
	case ".java":
		return Java
	case ".rs":
		return Rust
	case ".rb", ".rake", ".gemspec":
		return Ruby
	}
	return Unknown
}

// grammarOf is the number of the language's grammar.
func grammarOf(lang Language) (int, bool) {
	switch lang {
	case Python:
		return grammar.Python, true
	case JavaScript:
		return grammar.JavaScript, true
	case TypeScript:
		return grammar.TypeScript, true
	case TSX:
		return grammar.TSX, true
	case Go:
		return grammar.Go, true
	case Java:
		return grammar.Java, true
	case Rust:
		return grammar.Rust, true
	case Ruby:
		return grammar.Ruby, true
	}
	return 0, false
}

// javaTest: the last is an integration test's, not a word that ends so.
var javaTest = regexp.MustCompile(`(?:Tests?|TestCase|[a-z0-9]IT)$`)

// IsTest tells whether a file is a test by the conventions of pytest,
// unittest, node:test, jest, vitest, go test, surefire and failsafe: by its own name, or by lying
// in a folder of tests.
func IsTest(file string) bool {
	base := path.Base(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch LanguageOf(file) {
	case Python:
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") ||
			stem == "conftest" || stem == "tests" || stem == "test" || underTests(file)
	case JavaScript, TypeScript, TSX:
		for _, mark := range []string{".test", ".spec", "-test", "_test"} {
			if strings.HasSuffix(stem, mark) {
				return true
			}
		}
		return stem == "test" || strings.HasPrefix(stem, "test-") || underTests(file)
	case Go:
		return strings.HasSuffix(stem, "_test")
	case Java:
		return javaTest.MatchString(stem) || strings.Contains(file, "src/test/")
	case Rust:
		return strings.HasPrefix(file, "tests/") || strings.Contains(file, "/tests/")
	case Ruby:
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") || underTests(file)
	}
	return false
}

func underTests(file string) bool {
	for dir := range strings.SplitSeq(path.Dir(file), "/") {
		switch dir {
		case "test", "tests", "__tests__", "spec":
			return true
		}
	}
	return false
}
