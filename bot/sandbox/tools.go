package sandbox

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// Tool is a program of the operator that payloads may use.
type Tool struct {
	Name    string   `json:"name"` // python3, node, go, npm …
	Path    string   `json:"path"` // inside; the same as on the host
	Version string   `json:"version,omitempty"`
	Modules []string `json:"modules,omitempty"` // of a Python: which test runners it can import
}

// Has tells whether a Python can import a module (looked for: pytest, coverage).
func (t Tool) Has(module string) bool {
	for _, m := range t.Modules {
		if m == module {
			return true
		}
	}
	return false
}

// toolchains is what was found from the operator's PATH and how to show it.
type toolchains struct {
	tools  []Tool
	mounts []Mount
	env    map[string]string
	etc    map[string]string // files of the inside /etc that are made for them
	dirs   []string          // of PATH, before the system's
	later  []string          // of PATH, after the system's: of what another is preferred to
	home   string
	// programs of an engine's image, by name; nil: the host's are looked at, and
	// dirs is not the whole PATH.
	programs map[string]string
}

// Tools lists what was found: for a name that is there several times (a Python
// of the operator's PATH and the system's) the preferred one first.
func (s *Sandbox) Tools() []Tool { return append([]Tool(nil), s.tools.tools...) }

// Tool is the inside path of a program: the real one, not a version manager's shim.
func (s *Sandbox) Tool(name string) (insidePath string, ok bool) {
	for _, t := range s.tools.tools {
		if t.Name == name {
			return t.Path, true
		}
	}
	if s.tools.programs != nil {
		insidePath, ok = s.tools.programs[name]
		return insidePath, ok
	}
	for _, dir := range s.tools.path() {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, true
		}
	}
	return "", false
}

// path is the inside PATH.
func (t *toolchains) path() []string {
	if t.programs != nil {
		return append([]string(nil), t.dirs...)
	}
	return slices.Concat(t.dirs, []string{"/usr/local/bin", "/usr/bin", "/bin"}, t.later)
}

// discover asks the operator's own interpreters where they live. They are
// started from /, with a small environment, so that no file of a repository has
// a say.
func discover(ctx context.Context, anew bool) (*toolchains, error) {
	q := openQuestions(anew)
	defer q.keep()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	t := &toolchains{env: map[string]string{}, etc: map[string]string{}}
	t.home, _ = os.UserHomeDir()
	var pythons, nodes, gos, rusts, javas, rubies, phps finding
	var wg sync.WaitGroup
	wg.Go(func() { pythons = findPythons(ctx, q, t.home) })
	wg.Go(func() { nodes = findNode(ctx, q) })
	wg.Go(func() { gos = findGo(ctx, q) })
	wg.Go(func() { rusts = findRust(ctx, q, t.home) })
	wg.Go(func() { javas = findJava(ctx, q, t.home) })
	wg.Go(func() { rubies = findRuby(ctx, q) })
	wg.Go(func() { phps = findPHP(ctx, q) })
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	for _, f := range []finding{pythons, nodes, gos, rusts, javas, rubies, phps} {
		t.add(f)
	}
	return t, nil
}

// finding is what the search for one language brought.
type finding struct {
	tools  []Tool
	shown  []string // host paths to show at the same place
	mounts []Mount
	env    map[string]string
	etc    map[string]string
}

func (t *toolchains) add(f finding) {
	for _, path := range f.shown {
		t.show(Mount{Host: path, Inside: path})
	}
	for _, m := range f.mounts {
		t.show(m)
	}
	maps.Copy(t.env, f.env)
	maps.Copy(t.etc, f.etc)
	for _, tool := range f.tools {
		if !t.visible(tool.Path) {
			continue
		}
		preferred := !slices.ContainsFunc(t.tools, func(o Tool) bool { return o.Name == tool.Name })
		t.tools = append(t.tools, tool)
		switch dir := filepath.Dir(tool.Path); {
		case contains(t.path(), dir):
		case preferred:
			t.dirs = append(t.dirs, dir)
		default:
			t.later = append(t.later, dir)
		}
	}
}

// show notes a mount unless the system's own paths have it already, or it would
// show the home folder or more.
func (t *toolchains) show(m Mount) {
	m.Host, m.Inside = filepath.Clean(m.Host), filepath.Clean(m.Inside)
	if below(m.Inside, "/usr") || m.Host == "/" || (t.home != "" && below(t.home, m.Host)) {
		return
	}
	for _, never := range []string{"/etc", "/proc", "/sys", "/dev", "/var", "/run", "/boot", "/tmp", "/home", "/root"} {
		if m.Host == never {
			return
		}
	}
	for _, have := range t.mounts {
		if below(m.Inside, have.Inside) {
			return
		}
	}
	t.mounts = append(t.mounts, m)
	sort.SliceStable(t.mounts, func(i, j int) bool { return len(t.mounts[i].Inside) < len(t.mounts[j].Inside) })
}

func (t *toolchains) visible(path string) bool {
	for _, dir := range []string{"/usr", "/bin", "/sbin"} {
		if below(path, dir) {
			return true
		}
	}
	for _, m := range t.mounts {
		if below(path, m.Inside) {
			return true
		}
	}
	return false
}

// below tells whether path is dir or lies in it.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// onPath lists every executable of a name in PATH, in order.
func onPath(name string) []string {
	var out []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // a relative entry would be a file of whatever folder we are in
		}
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			out = append(out, path)
		}
	}
	return out
}

const pythonQuestion = `
import sys, json, site, os, importlib.util as u
user = site.getusersitepackages()
has = lambda m: u.find_spec(m) is not None or os.path.isdir(os.path.join(user, m))
print(json.dumps({"executable": sys.executable, "version": "%d.%d.%d" % sys.version_info[:3],
  "prefixes": sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}),
  "user_base": site.getuserbase(), "user_site": user if os.path.isdir(user) else "",
  "path": sys.path, "modules": [m for m in ("pytest", "coverage", "unittest") if has(m)]}))`

func findPythons(ctx context.Context, q *questions, home string) finding {
	f := finding{env: map[string]string{}}
	seen := map[string]bool{}
	for _, name := range []string{"python3", "python"} {
		for _, path := range onPath(name) {
			var a struct {
				Executable, Version string
				Prefixes            []string
				UserBase            string `json:"user_base"`
				UserSite            string `json:"user_site"`
				Path, Modules       []string
			}
			real, err := filepath.EvalSymlinks(path)
			if err != nil || seen[real] {
				continue
			}
			seen[real] = true
			depends := func() []string {
				return slices.Concat(a.Path, []string{a.Executable, a.UserSite, filepath.Join(a.UserBase, "lib"), filepath.Join(filepath.Dir(filepath.Dir(path)), "pyvenv.cfg")})
			}
			if !q.ask(ctx, &a, depends, path, "-I", "-c", pythonQuestion) || a.Executable == "" || !strings.HasPrefix(a.Version, "3.") || seen[strings.Join(a.Prefixes, ":")] {
				continue
			}
			seen[strings.Join(a.Prefixes, ":")] = true // python beside python3 is the same
			if !slices.ContainsFunc(a.Prefixes, func(p string) bool { return below(a.Executable, p) }) {
				a.Executable = real // a link from elsewhere, where nothing else is shown
			}
			f.tools = append(f.tools, Tool{Name: "python3", Path: a.Executable, Version: a.Version, Modules: a.Modules})
			f.shown = append(f.shown, a.Prefixes...)
			f.shown = append(f.shown, storeOf(a.Executable)...)
			if a.UserSite != "" && home != "" {
				f.shown = append(f.shown, a.UserSite)
				f.env["PYTHONUSERBASE"] = a.UserBase
			}
		}
	}
	return f
}

// storeOf shows the whole Nix store for a program that lives there.
func storeOf(path string) []string {
	if real, err := filepath.EvalSymlinks(path); err == nil && below(real, "/nix/store") {
		return []string{"/nix/store"}
	}
	return nil
}

const nodeQuestion = `JSON.stringify({Path: process.execPath, Version: process.version.slice(1)})`

func findNode(ctx context.Context, q *questions) finding {
	var f finding
	for _, path := range onPath("node") {
		var a struct{ Path, Version string }
		if !q.ask(ctx, &a, func() []string { return []string{a.Path} }, path, "-p", nodeQuestion) {
			continue
		}
		f.tools = append(f.tools, Tool{Name: "node", Path: a.Path, Version: a.Version})
		bin := filepath.Dir(a.Path)
		if filepath.Base(bin) == "bin" {
			f.shown = append(f.shown, filepath.Dir(bin))
		}
		f.shown = append(f.shown, a.Path) // alone, where its folder may not be shown
		f.shown = append(f.shown, storeOf(a.Path)...)
		for _, name := range []string{"npm", "npx", "pnpm", "yarn", "corepack"} {
			if info, err := os.Stat(filepath.Join(bin, name)); err == nil && info.Mode().IsRegular() {
				f.tools = append(f.tools, Tool{Name: name, Path: filepath.Join(bin, name)})
			}
		}
		return f
	}
	return f
}

func findGo(ctx context.Context, q *questions) finding {
	f := finding{env: map[string]string{}}
	for _, path := range onPath("go") {
		var a struct{ GOROOT, GOMODCACHE, GOVERSION string }
		if !q.ask(ctx, &a, func() []string { return []string{filepath.Join(a.GOROOT, "VERSION")} }, path, "env", "-json", "GOROOT", "GOMODCACHE", "GOVERSION") || a.GOROOT == "" {
			continue
		}
		bin := filepath.Join(a.GOROOT, "bin")
		f.tools = append(f.tools, Tool{Name: "go", Path: filepath.Join(bin, "go"), Version: strings.TrimPrefix(a.GOVERSION, "go")})
		f.tools = append(f.tools, Tool{Name: "gofmt", Path: filepath.Join(bin, "gofmt")})
		f.shown = append(f.shown, a.GOROOT)
		f.shown = append(f.shown, storeOf(path)...)
		if info, err := os.Stat(a.GOMODCACHE); err == nil && info.IsDir() {
			f.mounts = append(f.mounts, Mount{Host: a.GOMODCACHE, Inside: "/gomod"})
			f.env["GOMODCACHE"] = "/gomod"
		}
		return f
	}
	return f
}

// findRust shows the toolchain itself, as rustup's programs only find it, and the
// crates that were fetched before from the public registry. Of others the index may
// hold the address that it came from, with a token.
func findRust(ctx context.Context, q *questions, home string) finding {
	f := finding{env: map[string]string{}}
	for _, path := range onPath("rustc") {
		depends := func(out []byte) []string {
			return []string{filepath.Join(strings.TrimSpace(string(out)), "bin", "rustc")}
		}
		out, ok := q.printed(ctx, depends, path, "--print", "sysroot")
		root := strings.TrimSpace(string(out))
		if !ok || !filepath.IsAbs(root) {
			continue
		}
		version, _ := q.printed(ctx, func([]byte) []string { return []string{filepath.Join(root, "bin", "rustc")} }, path, "--version") // "rustc 1.95.0 (59807616e 2026-04-14)"
		number := strings.Fields(string(version) + " - -")[1]
		for _, name := range []string{"cargo", "rustc", "rustdoc", "cargo-clippy", "clippy-driver", "cargo-fmt", "rustfmt"} {
			if info, err := os.Stat(filepath.Join(root, "bin", name)); err == nil && info.Mode().IsRegular() {
				f.tools = append(f.tools, Tool{Name: name, Path: filepath.Join(root, "bin", name), Version: number})
			}
		}
		f.shown = append(f.shown, root)
		f.shown = append(f.shown, storeOf(path)...)
		fetched := filepath.Join(cmp.Or(os.Getenv("CARGO_HOME"), filepath.Join(home, ".cargo")), "registry")
		if f.mounts = publicCrates(fetched); len(f.mounts) > 0 {
			f.env["CARGO_HOME"] = "/cargo"
		}
		return f
	}
	return f
}

var (
	javaHome     = regexp.MustCompile(`(?m)^\s*java\.home = (/.+)$`)
	javaVersion  = regexp.MustCompile(`(?m)^\s*java\.version = (.+)$`)
	mavenCache   = regexp.MustCompile(`<localRepository>\s*(/[^<]+?)\s*</localRepository>`)
	javaQuestion = []string{"sh", "-c", `exec "$1" -XshowSettings:properties -version 2>&1`, "sh"}
)

// publicCrates are the parts of cargo's registry that came from the public one.
func publicCrates(registry string) (out []Mount) {
	public, _ := filepath.Glob(filepath.Join(registry, "*", "index.crates.io-*"))
	for _, dir := range public {
		if rel, err := filepath.Rel(registry, dir); err == nil && filepath.IsAbs(dir) {
			out = append(out, Mount{Host: dir, Inside: "/cargo/registry/" + rel})
		}
	}
	return out
}

// findJava shows a JDK, the first of JAVA_HOME and the PATH, the build tools, and what
// they have fetched before. Maven's settings stay outside: passwords stand in them.
func findJava(ctx context.Context, q *questions, home string) finding {
	f := finding{env: map[string]string{}}
	for _, path := range append([]string{filepath.Join(os.Getenv("JAVA_HOME"), "bin/java")}, onPath("java")...) {
		if !filepath.IsAbs(path) {
			continue
		}
		out, _ := q.printed(ctx, func(out []byte) (depends []string) {
			if root := javaHome.FindSubmatch(out); root != nil {
				depends = append(depends, filepath.Join(string(root[1]), "release"))
			}
			return depends
		}, append(slices.Clone(javaQuestion), path)...)
		root, version := javaHome.FindSubmatch(out), javaVersion.FindSubmatch(out)
		if root == nil || version == nil {
			continue
		}
		jdk := string(root[1])
		for _, name := range []string{"java", "javac"} {
			if info, err := os.Stat(filepath.Join(jdk, "bin", name)); err == nil && info.Mode().IsRegular() {
				f.tools = append(f.tools, Tool{Name: name, Path: filepath.Join(jdk, "bin", name), Version: string(version[1])})
			}
		}
		f.shown = append(append(f.shown, jdk), storeOf(path)...)
		f.env["JAVA_HOME"] = jdk
		break
	}
	if len(f.tools) == 0 {
		return f
	}
	for _, name := range []string{"mvn", "gradle"} {
		if all := onPath(name); len(all) > 0 {
			if real, err := filepath.EvalSymlinks(all[0]); err == nil && filepath.Base(filepath.Dir(real)) == "bin" {
				f.tools = append(f.tools, Tool{Name: name, Path: real})
				for _, part := range []string{"bin", "boot", "lib", "conf/logging"} { // not conf/settings.xml, nor Gradle's init.d
					if dir := filepath.Join(filepath.Dir(filepath.Dir(real)), part); isDir(dir) {
						f.shown = append(f.shown, dir)
					}
				}
				f.shown = append(f.shown, storeOf(real)...)
			}
		}
	}
	fetched := filepath.Join(home, ".m2/repository")
	if settings, err := os.ReadFile(filepath.Join(home, ".m2/settings.xml")); err == nil {
		if m := mavenCache.FindSubmatch(settings); m != nil {
			fetched = string(m[1])
		}
	}
	for inside, host := range map[string]string{
		"/m2/repository": fetched, "/m2/wrapper": filepath.Join(home, ".m2/wrapper"),
		"/gradle/caches/modules-2": filepath.Join(home, ".gradle/caches/modules-2"), "/gradle/wrapper": filepath.Join(home, ".gradle/wrapper"),
	} {
		if isDir(host) && home != "" {
			f.mounts = append(f.mounts, Mount{Host: host, Inside: inside})
		}
	}
	m2 := "/m2"
	if !slices.ContainsFunc(f.mounts, func(m Mount) bool { return m.Inside == "/m2/repository" }) {
		m2 = insideHome + "/.m2" // Maven makes an empty one, and says what is not in it
	}
	maps.Copy(f.env, jvmCaches(m2, "/gradle"))
	return f
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// jvmCaches tell Maven and Gradle where what was fetched lies. Maven takes it from
// there also where a mirror served it that its settings name. Both live for seconds:
// the better compiler of their JVM would not pay. What the other compiles takes more of
// the stack: javac ran out of it on a large class.
func jvmCaches(m2, gradle string) map[string]string {
	options := "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss8m -Dmaven.repo.local=" + m2 + "/repository"
	return map[string]string{"MAVEN_USER_HOME": m2, "MAVEN_OPTS": options + " -Daether.enhancedLocalRepository.trackingFilename=fettle.none", "GRADLE_OPTS": options, "GRADLE_RO_DEP_CACHE": gradle + "/caches"}
}
