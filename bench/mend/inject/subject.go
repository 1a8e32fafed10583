package inject

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/code"
)

// Subject is a project into which faults are planted.
type Subject struct {
	Name     string             `json:"name"`
	Repo     string             `json:"repo"`            // owner/name
	Commit   string             `json:"commit"`          // of the correct tree
	Language string             `json:"language"`        // python, javascript or go
	Sources  []string           `json:"sources"`         // files and folders in which faults may be planted
	Lay      map[string]*string `json:"lay,omitempty"`   // texts laid over the tree by path; null takes a file away
	Setup    [][]string         `json:"setup,omitempty"` // commands that bring the dependencies, run in the tree
}

// ReadSubjects reads a list of subjects (bench/mend/subjects.json).
func ReadSubjects(data []byte) ([]Subject, error) {
	var out []Subject
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("reading the list of subjects: %w", err)
	}
	seen := map[string]bool{}
	for _, s := range out {
		switch {
		case s.Name == "" || strings.ContainsAny(s.Name, `/\`) || seen[s.Name]:
			return nil, fmt.Errorf("reading the list of subjects: the name %q is missing, doubled or no folder's", s.Name)
		case strings.Count(s.Repo, "/") != 1 || len(s.Commit) != 40 || prefix[s.Language] == "" || len(s.Sources) == 0:
			return nil, fmt.Errorf("reading the list of subjects: %s needs repo (owner/name), commit (40 digits), language and sources", s.Name)
		}
		seen[s.Name] = true
	}
	return out, nil
}

// prefix begins the ids of a language's bugs.
var prefix = map[string]string{"python": "py", "javascript": "js", "go": "go"}

const setupLimit = 5 * time.Minute

// ready is written beside a subject's tree when all of it is there.
const ready = ".ready"

// Prepare makes the correct tree of a subject below work/subjects, with its
// dependencies, and gives its folder. A tree that is there already is taken
// when it was made from the same commit, set-up and texts. mirror is a folder
// of bare repositories, <owner>+<name>/repo; empty: they are cloned from GitHub.
func Prepare(ctx context.Context, work, mirror string, s Subject) (string, error) {
	dir := filepath.Join(work, "subjects", s.Name)
	stamp, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	if had, err := os.ReadFile(dir + ready); err == nil && bytes.Equal(had, stamp) {
		return dir, nil
	}
	// What was measured of another tree under this name counts no more.
	measured, err := filepath.Glob(filepath.Join(work, "correct", s.Name+"-"+s.Commit[:12]+".json"))
	if err != nil {
		return "", err
	}
	for _, name := range append(measured, dir) {
		if err := os.RemoveAll(name); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	from := "https://github.com/" + s.Repo
	if mirror != "" {
		from = filepath.Join(mirror, strings.Replace(s.Repo, "/", "+", 1), "repo")
	}
	steps := [][]string{
		{"git", "clone", "--quiet", "--no-checkout", "--", from, dir},
		{"git", "-C", dir, "checkout", "--quiet", "--detach", s.Commit},
	}
	if s.Language == "go" {
		steps = append(steps, []string{"go", "mod", "download"})
	}
	for i, argv := range append(steps, s.Setup...) {
		at := dir
		if i == 0 {
			at = ""
		}
		if err := runStep(ctx, at, argv); err != nil {
			return "", fmt.Errorf("preparing %s: %w", s.Name, err)
		}
	}
	laid := bugs.Files{}
	for p, t := range s.Lay {
		if laid[p] = nil; t != nil {
			laid[p] = []byte(*t)
		}
	}
	if err := bugs.Lay(dir, laid); err != nil {
		return "", err
	}
	return dir, os.WriteFile(dir+ready, stamp, 0o644)
}

// runStep runs one command of a set-up under a time limit.
func runStep(ctx context.Context, dir string, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, bytes.TrimSpace(out[max(0, len(out)-2000):]))
	}
	return nil
}

// maxSource bounds the files in which faults are planted, in bytes.
const maxSource = 400 << 10

// Enumerate lists the faults of all rules in a subject's sources, in the order
// of the paths.
func (s Subject) Enumerate(ctx context.Context, dir string) ([]Fault, error) {
	var files []string
	for _, source := range s.Sources {
		err := filepath.WalkDir(filepath.Join(dir, filepath.FromSlash(source)), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			if d.IsDir() {
				if s.skips(rel) {
					return filepath.SkipDir
				}
				return nil
			}
			if d.Type().IsRegular() && string(code.LanguageOf(rel)) == s.Language && !code.IsTest(rel) && !slices.Contains(files, rel) {
				files = append(files, rel)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("looking for the sources of %s: %w", s.Name, err)
		}
	}
	slices.Sort(files)
	var out []Fault
	for _, p := range files {
		src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			return nil, err
		}
		if len(src) > maxSource {
			continue
		}
		some, err := Faults(ctx, p, src)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// skips tells folders whose code is not the subject's product.
func (s Subject) skips(rel string) bool {
	base := path.Base(rel)
	return rel != "." && strings.HasPrefix(base, ".") ||
		slices.Contains([]string{"node_modules", "vendor", "testdata", "tests", "test", "internal", "_examples", "examples", "benchmark", "benchmarks", "sandbox", "testing", "cmd"}, base)
}
