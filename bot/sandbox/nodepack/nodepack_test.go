package nodepack

import (
	"os"
	"path/filepath"
	"testing"
)

// npm lays two versions of a package, one of them below who needs it, and what both
// depend on at the top.
func TestWhatPackagesBelowOthersDependOnIsLaidToo(t *testing.T) {
	t.Parallel()
	installed, dir := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(installed, ".bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"locate/package.json":                    `{"dependencies": {"limit": "^2"}}`,
		"locate/node_modules/limit/package.json": `{"dependencies": {"try": "^2", "@x/y": "^1"}}`,
		"locate/node_modules/@x/y/package.json":  `{"dependencies": {"deep": "^1"}}`,
		"limit/package.json":                     `{"optionalDependencies": {"queue": "^1", "other-platform": "^1"}}`,
		"try/package.json":                       `{}`,
		"deep/package.json":                      `{"peerDependencies": {"locate": "*"}}`,
		"queue/package.json":                     `{}`,
		"nobody/package.json":                    `{}`,
	} {
		file := filepath.Join(installed, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Lay(installed, dir, "locate"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"locate/node_modules/limit": true, "limit": true, "try": true, "deep": true, "queue": true, "nobody": false, "other-platform": false} {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", name)); (err == nil) != want {
			t.Errorf("%s is laid: %v, want %v", name, err == nil, want)
		}
	}
}
