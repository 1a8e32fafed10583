package bot

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var listOfWords = flag.String("words", "", "write all texts that users can see to `FILE`")

// text is a literal of the product with three blanks or more: what users, or whoever
// reads a log or a prompt, may see.
type text struct {
	place string
	words string
	err   bool // it makes an error, which others go on with
}

// wordsFile lists the texts, so that a change of one is seen where all are read.
const wordsFile = "../docs/words.txt"

// listed are the texts, below the file that has them.
func listed(texts []text) string {
	var out strings.Builder
	last := ""
	for _, x := range texts {
		file, _, _ := strings.Cut(x.place, ":")
		if file != last {
			fmt.Fprintf(&out, "\n%s\n", file)
			last = file
		}
		fmt.Fprintf(&out, "  %s\n", strings.Join(strings.Fields(strings.ReplaceAll(x.words, "\n", " / ")), " "))
	}
	return strings.TrimPrefix(out.String(), "\n")
}

// O8: the texts that users can see stand in one list (make words writes it), and none of
// them has words that only the house knows.
func TestO8TextsSpeakTheFieldsWords(t *testing.T) {
	t.Parallel()
	texts, err := textsOf()
	if err != nil || len(texts) < 1000 {
		t.Fatalf("%d texts were found: %v", len(texts), err)
	}
	if *listOfWords != "" {
		if err := os.WriteFile(*listOfWords, []byte(listed(texts)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if had, err := os.ReadFile(wordsFile); err != nil || string(had) != listed(texts) {
		t.Errorf("%s does not have the texts as they are (%v): run make words, and read what it changes as a user", wordsFile, err)
	}
	house := map[string]*regexp.Regexp{
		"say which command approves":             regexp.MustCompile(`(?i)\b(a|the|for a|without a) yes\b`),
		"unverified":                             regexp.MustCompile(`(?i)\b(is|are) not prove[dn]\b`),
		"maintainer, approval":                   regexp.MustCompile(`(?i)\bhuman says\b`),
		"is not paid for again":                  regexp.MustCompile(`(?i)\bbought again\b`),
		"replay departs, run goes on":            regexp.MustCompile(`(?i)\btakes another way\b`),
		"name what failed":                       regexp.MustCompile(`(?i)something went wrong|unexpected error|invalid input$`),
		"an error is told without a cry":         regexp.MustCompile(`!$`),
		"the program speaks of itself as fettle": regexp.MustCompile(`(?i)\bthis (tool|bot|program) (is|was|cannot|could)\b`),
	}
	for _, x := range texts {
		for instead, re := range house {
			if re.MatchString(x.words) {
				t.Errorf("%s: %q\n\t%s", x.place, re.FindString(x.words), instead)
			}
		}
		if x.err && strings.HasSuffix(strings.TrimSpace(x.words), ".") && !strings.Contains(x.words, ". ") {
			t.Errorf("%s: an error ends without a full stop: others go on with it: %q", x.place, x.words)
		}
	}
}

// textsOf reads all literals of the product. Tables of words in other languages, rules,
// queries and samples are no texts.
func textsOf() ([]text, error) {
	var out []text
	err := eachFile(".go", []string{"bench", "triage", "answer", "storetest", "migrations"}, func(p string) error {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join("..", p), nil, 0)
		if err != nil {
			return err
		}
		errs := map[ast.Node]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Errorf" || f.Sel.Name == "New" && fmt.Sprint(f.X) == "errors") {
					errs[call.Args[0]] = true
				}
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			s, err := strconv.Unquote(lit.Value)
			if err != nil || len(strings.Fields(s)) < 4 || sqlText.MatchString(s) || strings.ContainsAny(s, "\x00") || strings.HasPrefix(s, "(?") || strings.HasPrefix(s, "^") {
				return true
			}
			out = append(out, text{place: fmt.Sprintf("%s:%d", p, set.Position(lit.Pos()).Line), words: s, err: errs[n]})
			return true
		})
		return nil
	})
	return out, err
}

var sqlText = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA|ALTER|LEFT|AND|WHERE|ORDER|ON|SET|FROM|JOIN) `)
