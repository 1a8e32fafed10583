package prepush

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A core.hooksPath names a folder that fettle does not write into: other
// repositories use it too, or it is part of the working copy, or a hook manager
// writes it anew. The repository gets a folder of its own in the Git directory,
// whose hooks run those of the named folder under the names that they have there.

// clients are the hooks that Git runs for those who work in a repository. Their
// presence alone changes nothing. One that is added to the named folder later runs.
var clients = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
	"commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "post-rewrite", "pre-auto-gc",
}

func (r *Repo) redirected() string { return filepath.Join(r.Common, "fettle", "hooks") }
func (r *Repo) notes() string      { return filepath.Join(r.Common, "fettle", "hooks.json") }
func (r *Repo) configFile() string { return filepath.Join(r.Common, "config") }

// before is what Install found, for Uninstall.
type before struct {
	Path   string // core.hooksPath as it counted
	Local  string // what the repository's own configuration said, "" for nothing
	Config []byte // the repository's configuration, byte by byte
	After  []byte // and as Install left it
}

// redirect makes the folder and names it in the repository's configuration.
func (r *Repo) redirect(ctx context.Context, path, program string) ([]string, error) {
	was, again, err := r.found(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := r.dispatch(was.Path, program); err != nil {
		return nil, err
	}
	if again {
		return []string{"the hook was there: written anew in " + r.redirected()}, nil
	}
	if _, err := r.git(ctx, "config", "--local", "core.hooksPath", r.redirected()); err != nil {
		return nil, errors.Join(err, r.drop())
	}
	if was.After, err = os.ReadFile(r.configFile()); err == nil {
		err = r.note(was)
	}
	now, cerr := r.config(ctx, "--type=path", "--get", "core.hooksPath")
	if err = errors.Join(err, cerr); err == nil && now != r.redirected() {
		err = fmt.Errorf("core.hooksPath of a worktree or of the environment beats the repository's own; write into your pre-push hook: %s hooks run -- \"$@\"", quote(program))
	}
	if err != nil {
		_, back := r.restore(ctx)
		return nil, errors.Join(err, back)
	}
	return []string{
		"core.hooksPath names " + was.Path + ", which stays as it is: its hooks are run from " + r.redirected(),
		"whoever sets core.hooksPath again (husky does at npm install) takes fettle out: then 'fettle hooks install' once more",
	}, nil
}

// found is what stood there before fettle, also where it is installed again.
func (r *Repo) found(ctx context.Context, path string) (was before, again bool, err error) {
	if real(r.hooks(path)) == real(r.redirected()) {
		data, err := os.ReadFile(r.notes())
		if err == nil {
			err = json.Unmarshal(data, &was)
		}
		if err != nil {
			return was, true, fmt.Errorf("core.hooksPath names %s, and what it named before is not known: %w; set it to your own folder of hooks, or 'git config --unset core.hooksPath'", path, err)
		}
		return was, true, nil
	}
	was.Path = path
	if was.Local, err = r.config(ctx, "--local", "--get", "core.hooksPath"); err != nil {
		return was, false, err
	}
	was.Config, err = os.ReadFile(r.configFile())
	return was, false, err
}

// dispatch writes a hook for each that Git may look for.
func (r *Repo) dispatch(path, program string) error {
	names := slices.Clone(clients)
	list, err := os.ReadDir(r.hooks(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the folder that core.hooksPath names: %w", err)
	}
	for _, e := range list {
		if info, err := os.Stat(filepath.Join(r.hooks(path), e.Name())); err == nil && info.Mode().IsRegular() && info.Mode()&0o100 != 0 && !slices.Contains(names, e.Name()) {
			names = append(names, e.Name())
		}
	}
	if err := os.MkdirAll(r.redirected(), 0o755); err != nil {
		return fmt.Errorf("making a folder of hooks: %w", err)
	}
	for _, name := range names {
		text := own
		if name == "pre-push" {
			text += lines(program)
		}
		hook := quote(filepath.Join(path, name))
		if !filepath.IsAbs(path) {
			hook = quote("./" + filepath.Join(path, name)) // Git runs hooks at the root of the working copy
		}
		text += "[ -x " + hook + " ] || exit 0\nexec " + hook + " \"$@\"\n"
		if err := replace(filepath.Join(r.redirected(), name), text, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// note keeps what was there; a configuration may hold addresses with passwords.
func (r *Repo) note(was before) error {
	data, err := json.Marshal(was)
	if err != nil {
		return err
	}
	return os.WriteFile(r.notes(), data, 0o600)
}

// restore gives core.hooksPath back, byte for byte where the configuration is as
// Install left it.
func (r *Repo) restore(ctx context.Context) ([]string, error) {
	var was before
	data, err := os.ReadFile(r.notes())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &was)
	}
	if err != nil {
		return nil, fmt.Errorf("reading what core.hooksPath was before: %w", err)
	}
	now, err := os.ReadFile(r.configFile())
	if err != nil {
		return nil, err
	}
	local, err := r.config(ctx, "--local", "--get", "core.hooksPath")
	if err != nil {
		return nil, err
	}
	switch {
	case string(now) == string(was.After):
		info, err := os.Stat(r.configFile())
		if err != nil {
			return nil, err
		}
		if err := replace(r.configFile(), string(was.Config), info.Mode()); err != nil {
			return nil, err
		}
	case local != r.redirected(): // somebody set it again
	case was.Local == "":
		_, err = r.git(ctx, "config", "--local", "--unset", "core.hooksPath")
	default:
		_, err = r.git(ctx, "config", "--local", "core.hooksPath", was.Local)
	}
	if err != nil {
		return nil, err
	}
	return []string{"core.hooksPath is as it was: " + was.Path}, r.drop()
}

// drop removes the folder, and the one above it if nothing else is in it.
func (r *Repo) drop() error {
	err := errors.Join(os.RemoveAll(r.redirected()), os.RemoveAll(r.notes()))
	if list, lerr := os.ReadDir(filepath.Dir(r.notes())); err == nil && lerr == nil && len(list) == 0 {
		err = os.Remove(filepath.Dir(r.notes()))
	}
	return err
}
