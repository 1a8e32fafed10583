package code

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code/grammar"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
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
	PHP        Language = "php"
	C          Language = "c"
	CPP        Language = "c++"
)

// LanguageOf tells the language of a file by its name: of a header .h, which may
// be C or C++, that it is C. LanguageIn tells it better.
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
	case ".php", ".phtml":
		return PHP
	case ".c", ".h":
		return C
	case ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".tpp", ".tcc":
		return CPP
	}
	return Unknown
}

var (
	// What stands only in C++, at the start of a line or anywhere. Of the headers
	// in a name without an ending there are none in C.
	cppOnly = lazyregexp.New(`(?m)^\s*(?:namespace\b[\w:\s]*\{|template\s*<|using\s+[\w:]+\s*[=;]|using\s+(?:namespace|typename)\b|(?:public|private|protected)\s*:|(?:enum\s+)?class\s[^;()=]*[:{]|#\s*include\s*<[a-z_]+>)|` +
		`\boperator\s*(?:[-+*/=<>!%&|^~]|\(\)|\[\])|\w::~?\w|\b(?:static_cast|const_cast|reinterpret_cast|dynamic_cast)\s*<|\)\s*(?:const\s*)?(?:noexcept\b|override\b|=\s*(?:default|delete)\s*;)|\bvirtual\s+[\w~]`)
	// What a header says to C++ alone, or does not say to the compiler at all.
	notInC = lazyregexp.New(`(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|#\s*(?:ifdef\s+__cplusplus|if\s+defined\s*\(?\s*__cplusplus\b).*?#\s*(?:endif|else)`)
)

// LanguageIn is LanguageOf, but reads of a header .h whether it is written in C++:
// whether something that C has not stands outside comments, strings and what is
// only for C++. Beside sources of C++ a header without any such thing reads as
// well as C, which it then is, too.
func LanguageIn(file string, src []byte) Language {
	lang := LanguageOf(file)
	if lang == C && strings.EqualFold(path.Ext(file), ".h") && cppOnly.Match(src) && cppOnly.Match(notInC.ReplaceAll(src, []byte("\n"))) {
		return CPP
	}
	return lang
}

// grammarOf is the number of the language's grammar.
func grammarOf(lang Language) (int, bool) {
	number, ok := grammars[lang]
	return number, ok
}

var grammars = map[Language]int{
	Python: grammar.Python, JavaScript: grammar.JavaScript, TypeScript: grammar.TypeScript, TSX: grammar.TSX, Go: grammar.Go, Java: grammar.Java,
	Rust: grammar.Rust, Ruby: grammar.Ruby, PHP: grammar.PHP, C: grammar.C, CPP: grammar.CPP,
}

// IsTest tells whether a file is a test by the conventions of pytest,
// unittest, node:test, jest, vitest, go test, JUnit, cargo, RSpec, minitest,
// PHPUnit, Pest, GoogleTest and Catch2: by its own name, or by lying in a folder
// of tests.
func IsTest(file string) bool {
	base := path.Base(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch LanguageOf(file) {
	case Python:
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") ||
			stem == "conftest" || stem == "tests" || stem == "test" || underTests(file)
	case JavaScript, TypeScript, TSX:
		return ends(stem, ".test", ".spec", "-test", "_test") || stem == "test" || strings.HasPrefix(stem, "test-") || underTests(file)
	case Go:
		return strings.HasSuffix(stem, "_test")
	case Java:
		return ends(stem, "Test", "Tests", "TestCase") || integrationTest.MatchString(stem) || strings.HasPrefix(stem, "Test") && len(stem) > 4 && stem[4] < 'a' ||
			strings.HasPrefix(file, "src/test/") || strings.Contains(file, "/src/test/")
	case Rust:
		return strings.HasPrefix(file, "tests/") || strings.Contains(file, "/tests/")
	case Ruby:
		return strings.HasPrefix(stem, "test_") || ends(stem, "_test", "_spec") || underTests(file)
	case PHP:
		return ends(stem, "Test", "TestCase") || underTests(strings.ToLower(file))
	case C, CPP:
		return strings.HasPrefix(stem, "test_") || strings.HasPrefix(stem, "test-") || stem == "test" || stem == "tests" ||
			ends(stem, "_test", "_tests", "_unittest", "_gtest", "-test", "Test", "Tests", ".test") || underTests(file)
	}
	return false
}

// integrationTest is failsafe's name, and no word that ends so.
var integrationTest = lazyregexp.New(`[a-z0-9]IT$`)

func ends(s string, marks ...string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.HasSuffix(s, m) })
}

func underTests(file string) bool {
	for dir := range strings.SplitSeq(path.Dir(file), "/") {
		switch dir {
		case "test", "tests", "__tests__", "spec", "unittests":
			return true
		}
	}
	return false
}
