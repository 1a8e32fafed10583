// Package nodepack lays single packages of an installed node_modules, with what they
// depend on, into a project. In go a folder that npm has filled and the names of
// packages, out comes a node_modules that holds those alone. It installs nothing and
// asks no network.
package nodepack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Lay lays packages of a node_modules, installed, and what they depend on into that of
// dir. All of installed would be copied with each workspace, too.
func Lay(installed, dir string, names ...string) error {
	to := filepath.Join(dir, "node_modules")
	laid := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		from := filepath.Join(installed, name)
		more, err := dependencies(from)
		if errors.Is(err, fs.ErrNotExist) || laid[name] {
			continue // of another platform, or optional
		}
		if err == nil {
			err = os.CopyFS(filepath.Join(to, name), os.DirFS(from))
		}
		if err != nil {
			return fmt.Errorf("laying the package %s: %w", name, err)
		}
		laid[name] = true
		names = append(names, more...)
	}
	if err := links(filepath.Join(installed, ".bin"), filepath.Join(to, ".bin")); err != nil {
		return fmt.Errorf("laying the programs of packages: %w", err)
	}
	return nil
}

// dependencies are the names that a package depends on, and those that the packages
// below its own node_modules do: npm lays what they share further up.
func dependencies(dir string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, err
	}
	var p struct{ Dependencies, OptionalDependencies, PeerDependencies map[string]string }
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	out := slices.Concat(slices.Collect(maps.Keys(p.Dependencies)), slices.Collect(maps.Keys(p.OptionalDependencies)), slices.Collect(maps.Keys(p.PeerDependencies)))
	for _, pattern := range []string{"*", "@*/*"} {
		own, err := filepath.Glob(filepath.Join(dir, "node_modules", pattern, "package.json"))
		if err != nil {
			return nil, err
		}
		for _, file := range own {
			more, err := dependencies(filepath.Dir(file))
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
	}
	return out, nil
}

// links copies the links of a folder whose targets are there.
func links(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil { //nolint:gosec // the sandbox reads it
		return err
	}
	all, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range all {
		target, err := os.Readlink(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(to, target)); err != nil {
			continue
		}
		if err := os.Symlink(target, filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
