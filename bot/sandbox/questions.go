package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/regular"
)

// answersKept bounds how long an answer is believed, whatever its files say.
const answersKept = time.Hour

// questions asks the operator's own programs where they live, and keeps their answers
// in the user's cache: starting seven languages takes longer than most commands. An
// answer holds while the files that it depends on are as they were.
type questions struct {
	file string // "": nothing is kept

	mu      sync.Mutex
	answers map[string]answer // by what was asked, and in which environment
	changed bool
}

type answer struct {
	At     time.Time
	Out    []byte
	Stamps map[string]string // of files and folders; "" is not there
}

// openQuestions reads what is kept, where nobody but us can have written it: an answer
// names what is mounted and run. anew asks everything again.
func openQuestions(anew bool) *questions {
	q := &questions{answers: map[string]answer{}}
	base, err := os.UserCacheDir()
	if err != nil || !filepath.IsAbs(base) {
		return q
	}
	dir := filepath.Join(base, "fettle")
	if info, err := os.Lstat(dir); err == nil && (!info.IsDir() || !private(info)) {
		return q
	}
	q.file = filepath.Join(dir, "toolchains.json")
	if data, err := readPrivate(q.file); err == nil && !anew {
		if json.Unmarshal(data, &q.answers) != nil || q.answers == nil {
			q.answers = map[string]answer{} // cut off, or of another version: asked again
		}
	}
	maps.DeleteFunc(q.answers, func(_ string, a answer) bool { age := time.Since(a.At); return age < 0 || age > answersKept })
	return q
}

// maxKept bounds the file of answers, in bytes.
const maxKept = 16 << 20

func readPrivate(name string) ([]byte, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !private(info) {
		return nil, errors.Join(err, fs.ErrPermission)
	}
	return io.ReadAll(io.LimitReader(f, maxKept))
}

// keep writes the answers down. Where that fails, the next process asks again.
func (q *questions) keep() {
	if q.file == "" || !q.changed {
		return
	}
	data, err := json.Marshal(q.answers)
	if err != nil || os.MkdirAll(filepath.Dir(q.file), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(q.file), "toolchains-*")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err != nil || cerr != nil || os.Rename(f.Name(), q.file) != nil {
		_ = os.Remove(f.Name())
	}
}

// ask decodes the JSON that a program prints. The answer depends on the files that of
// tells once it is decoded.
func (q *questions) ask(ctx context.Context, into any, of func() []string, argv ...string) bool {
	out, ok := q.printed(ctx, func(out []byte) []string {
		if json.Unmarshal(out, into) != nil {
			return nil
		}
		return of()
	}, argv...)
	return ok && json.Unmarshal(out, into) == nil
}

// printed is what a program of the operator prints, now or when it was last asked.
func (q *questions) printed(ctx context.Context, of func(out []byte) []string, argv ...string) (out []byte, ok bool) {
	env := environment()
	sum := sha256.Sum256([]byte(strings.Join(slices.Concat(argv, []string{""}, env), "\x00")))
	key := hex.EncodeToString(sum[:])
	q.mu.Lock()
	kept, known := q.answers[key]
	q.mu.Unlock()
	if known && kept.holds() {
		return kept.Out, true
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // programs of the operator's own PATH
	cmd.Dir, cmd.Env = "/", append(env, configFolders()...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return out, false
	}
	stamps := map[string]string{}
	for _, path := range slices.Concat(argv, managers(), of(out)) {
		if filepath.IsAbs(path) {
			stamps[path] = stamp(path)
		}
	}
	q.mu.Lock()
	q.answers[key], q.changed = answer{At: time.Now(), Out: out, Stamps: stamps}, true
	q.mu.Unlock()
	return out, true
}

// environment is what a program that is asked sees of ours, but for the folders of
// settings.
func environment() []string {
	out := []string{"GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=off", "LANG=C.UTF-8"}
	for _, name := range []string{"PATH", "HOME", "PYENV_ROOT", "PYENV_VERSION", "VIRTUAL_ENV", "NVM_DIR", "NVM_BIN", "ASDF_DIR", "ASDF_DATA_DIR",
		"GOROOT", "GOPATH", "GOMODCACHE", "VOLTA_HOME", "FNM_DIR", "MISE_DATA_DIR", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME",
		"RBENV_ROOT", "RBENV_VERSION", "GEM_HOME", "GEM_PATH", "PHPRC", "PHP_INI_SCAN_DIR"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

func configFolders() (out []string) {
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// managers are the files by which version managers and go env choose for the folder /.
func managers() (out []string) {
	home, _ := os.UserHomeDir()
	config, _ := os.UserConfigDir()
	in := func(variable, otherwise, file string) {
		root := os.Getenv(variable)
		if root == "" {
			root = filepath.Join(home, otherwise)
		}
		out = append(out, filepath.Join(root, file))
	}
	in("PYENV_ROOT", ".pyenv", "version")
	in("RBENV_ROOT", ".rbenv", "version")
	in("RUSTUP_HOME", ".rustup", "settings.toml")
	in("VOLTA_HOME", ".volta", "tools/user/platform.json")
	in("ASDF_CONFIG", "", ".tool-versions")
	in("NODENV_ROOT", ".nodenv", "version")
	return append(out, filepath.Join(config, "go", "env"), filepath.Join(config, "mise", "config.toml"))
}

func (a answer) holds() bool {
	for path, was := range a.Stamps {
		if stamp(path) != was {
			return false
		}
	}
	return len(a.Stamps) > 0
}

// stamp changes with a file, with what a link leads to, and with the names in a folder.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	real, _ := filepath.EvalSymlinks(path)
	return fmt.Sprintf("%s %s %d %d", real, info.Mode(), info.Size(), info.ModTime().UnixNano())
}
