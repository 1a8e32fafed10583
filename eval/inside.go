package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// inProject opens the project that a file lies in, two folders above it, and makes the
// folder between. Links that the project brings do not lead out of it.
func inProject(name string) (root *os.Root, dir, file string, err error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, "", "", err
	}
	folder, file := filepath.Dir(abs), filepath.Base(abs)
	dir = filepath.Base(folder)
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return nil, "", "", err
	}
	if root, err = os.OpenRoot(filepath.Dir(folder)); err != nil {
		return nil, "", "", err
	}
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return nil, "", "", errors.Join(err, root.Close())
	}
	return root, dir, file, nil
}

// replace writes a file anew. What stood in its place, a link too, is replaced and not
// written through.
func replace(root *os.Root, name string, text []byte) error {
	made := name + ".new"
	if err := errors.Join(root.RemoveAll(made), root.WriteFile(made, text, 0o644)); err != nil {
		return err
	}
	return root.Rename(made, name)
}

// Folder makes a folder below a project, such as .fettle/cases, and gives its path. A
// link on the way that leads out of the project is refused.
func Folder(project, name string) (string, error) {
	if err := os.MkdirAll(project, 0o755); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.MkdirAll(name, 0o755); err != nil {
		return "", fmt.Errorf("making %s in %s: %w; give another folder with --out", name, project, err)
	}
	return filepath.Abs(filepath.Join(project, name))
}

// Fresh makes a folder as Folder does that nothing stands in yet: name, or name-2 and
// so on where two runs begin in the same second.
func Fresh(project, name string) (string, error) {
	if _, err := Folder(project, filepath.Dir(name)); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return "", err
	}
	defer root.Close()
	as := name
	for n := 2; ; n++ {
		err := root.Mkdir(as, 0o755)
		if err == nil {
			return filepath.Abs(filepath.Join(project, as))
		}
		if !errors.Is(err, os.ErrExist) {
			return "", err
		}
		as = fmt.Sprintf("%s-%d", name, n)
	}
}

// Last is where the report of the last run stands: eval/last_report.json of a project
// with a folder eval, and below .fettle of any other, which gets no folder of ours.
func Last(project string) string {
	if info, err := os.Lstat(filepath.Join(project, "eval")); err == nil && info.IsDir() {
		return filepath.Join(project, "eval", lastFile)
	}
	return filepath.Join(project, ".fettle", "eval", lastFile)
}

const lastFile = "last_report.json"

// KeepLast writes the report of the last run, following no link out of the project.
func KeepLast(project string, r Report) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	name, err := filepath.Rel(project, Last(project))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer root.Close()
	err = root.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = replace(root, name, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keeping the report of the last run in %s: %w", name, err)
	}
	return nil
}
