package settings

import (
	"os"
	"regexp"
	"testing"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// O8: what the documents show as a configuration is one.
func TestO8ConfigurationsInTheDocumentsAreRead(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"../../docs/configure.md", "../../docs/github-app.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		blocks := yamlBlock.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			t.Errorf("%s shows no configuration", file)
		}
		for _, b := range blocks {
			_, operator := Parse("config.yml", []byte(b[1]))
			_, repository := LoadRepo([]byte(b[1]))
			if operator != nil && repository != nil {
				t.Errorf("%s:\n%s\nis neither an operator's file: %v\nnor a repository's: %v", file, b[1], operator, repository)
			}
		}
	}
}
