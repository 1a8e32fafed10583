package patch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestE3ANewGoFileIsFormatted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Apply(t.Context(), dir, task.Patch{Edits: []task.Edit{{Kind: task.EditCreate, Path: "a_test.go", Code: "package a\nimport \"testing\"\nfunc TestA(t *testing.T) {\n  x:=1\n    if x!=1 { t.Fatal(x) }\n}\n"}}}, Guard{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "a_test.go"))
	if want := "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tx := 1\n\tif x != 1 {\n\t\tt.Fatal(x)\n\t}\n}\n"; err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}
