package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestC1TheFirstPythonOfPATHIsTheOneInside: one that stands behind it, in a
// folder of its own, does not take its place inside, nor does a link keep it out.
func TestC1TheFirstPythonOfPATHIsTheOneInside(t *testing.T) { //nolint:paralleltest // it sets PATH
	const debians = "/usr/bin/python3"
	real, err := filepath.EvalSymlinks(debians)
	if err != nil {
		t.Skip("there is no " + debians)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other")
	if out, err := exec.CommandContext(t.Context(), debians, "-m", "venv", "--without-pip", "--copies", other).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	link := filepath.Join(dir, "link")
	if err := os.Mkdir(link, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(debians, filepath.Join(link, "python3")); err != nil {
		t.Fatal(err)
	}
	for first, want := range map[string]string{link: real, filepath.Join(other, "bin"): filepath.Join(other, "bin", "python3")} {
		t.Setenv("PATH", first+":"+link+":"+filepath.Join(other, "bin")+":/usr/bin:/bin")
		found, err := discover(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		s := &Sandbox{tools: found}
		if got, ok := s.Tool("python3"); !ok || got != want {
			t.Errorf("%s first: python3 is %s", first, got)
		}
		path := found.path()
		its, system := slices.Index(path, filepath.Join(other, "bin")), slices.Index(path, "/usr/bin")
		if before := its >= 0 && its < system; before != (first != link) {
			t.Errorf("%s first: the PATH inside is %q", first, path)
		}
	}
}
