package detect

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

var (
	goModule   = lazyregexp.New(`(?m)^[ \t]*module[ \t]+"?([^\s"]+)`)
	cargoFuzz  = lazyregexp.New(`(?m)^cargo-fuzz\s*=\s*true`)
	cargoSpace = lazyregexp.New(`(?m)^\[workspace\]`)
	makeTarget = lazyregexp.New(`(?m)^([A-Za-z][\w-]*):(?:[^=]|$)`)
)

// golang finds the modules.
func (t *Tree) golang(p *Plan) {
	for _, f := range t.Files {
		if path.Base(f) != "go.mod" || InDir(f, "testdata") {
			continue
		}
		dir := path.Dir(f)
		module := t.Module(dir)
		if bad, ok := t.Fault(f); ok {
			p.Notes = append(p.Notes, bad.String())
		}
		if module == "" {
			continue
		}
		own := func(file, suffix string) bool {
			d, _ := t.Nearest(file, "go.mod")
			return strings.HasSuffix(file, suffix) && d == dir && GoSees(file)
		}
		if !slices.ContainsFunc(t.Files, func(file string) bool { return own(file, ".go") }) {
			continue
		}
		t.wantGo(p, f)
		needs := []Need{{Program: "go", Install: "install Go"}}
		env, typed := t.outsideWorkspace(dir)
		add := func(kind Kind, tool string, format parse.Format, why string, argv ...string) {
			c := Command{Kind: kind, Tool: tool, Dir: dir, Argv: argv, Env: env, Format: format, Module: module, Needs: needs, Why: why}
			c.Typed = typed + strings.Join(slices.DeleteFunc(slices.Clone(argv), func(a string) bool { return a == "-json" }), " ")
			p.Commands = append(p.Commands, c)
		}
		add(Build, "go build", parse.Lines, "there is a go.mod", "go", "build", "./...")
		add(Lint, "go vet", parse.Lines, "there is a go.mod", "go", "vet", "./...")
		if t.have[path.Join(dir, "staticcheck.conf")] {
			needs = []Need{{Program: "staticcheck", Install: "go install honnef.co/go/tools/cmd/staticcheck@latest"}}
			add(Lint, "staticcheck", parse.Lines, "there is a staticcheck.conf", "staticcheck", "./...")
		}
		for _, cfg := range []string{".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"} {
			if t.have[path.Join(dir, cfg)] {
				needs = []Need{{Program: "golangci-lint", Install: "install golangci-lint"}}
				add(Lint, "golangci-lint", parse.Lines, "there is a "+cfg, "golangci-lint", "run", "./...")
				break
			}
		}
		needs = []Need{{Program: "go", Install: "install Go"}}
		var tests []string
		for _, file := range t.Files {
			if own(file, "_test.go") {
				tests = append(tests, file)
			}
		}
		if len(tests) > 0 {
			add(Test, "go test", parse.GoJSON, "there are _test.go files", "go", "test", "-json", "./...")
			p.Commands[len(p.Commands)-1].Files = tests
		}
		if t.have[path.Join(dir, "go.sum")] {
			p.Setup = append(p.Setup, inFolder(dir, "go mod download"))
		}
	}
}

// Module is the path of the Go module in a folder, "" where there is none.
func (t *Tree) Module(dir string) string {
	if m := goModule.FindStringSubmatch(t.Read(path.Join(dir, "go.mod"))); m != nil {
		return m[1]
	}
	return ""
}

// outsideWorkspace switches the workspace off for a module that the closest
// go.work does not use: the go command refuses to build such a one with it. It
// gives the environment and what to type before a command.
func (t *Tree) outsideWorkspace(dir string) (env map[string]string, typed string) {
	at, ok := t.Nearest(path.Join(dir, "go.mod"), "go.work")
	if !ok {
		return nil, ""
	}
	work, err := modfile.ParseWork("go.work", []byte(t.Read(path.Join(at, "go.work"))), nil)
	if err != nil || slices.ContainsFunc(work.Use, func(u *modfile.Use) bool { return path.Join(at, u.Path) == dir }) {
		return nil, ""
	}
	return map[string]string{"GOWORK": "off"}, "GOWORK=off "
}

func inFolder(dir, cmd string) string {
	if dir == "." {
		return cmd
	}
	return "cd " + dir + " && " + cmd
}

// GoSees leaves out what the go command does not look at.
func GoSees(p string) bool {
	for _, part := range strings.Split(p, "/") {
		if part == "testdata" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") {
			return false
		}
	}
	return true
}

// shallow lists the files with those of upper folders first: a root comes before
// what lies in it.
func (t *Tree) shallow() []string {
	out := slices.Clone(t.Files)
	slices.SortStableFunc(out, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return out
}

// rust finds workspaces and crates that belong to none.
func (t *Tree) rust(p *Plan) {
	var roots []string
	for _, f := range t.shallow() {
		if path.Base(f) != "Cargo.toml" || InDir(f, "testdata", "fixtures") {
			continue
		}
		dir := path.Dir(f)
		if slices.ContainsFunc(roots, func(r string) bool { return Within(dir, r) }) && !cargoSpace.MatchString(t.Read(f)) {
			continue
		}
		if cargoFuzz.MatchString(t.Read(f)) {
			continue // its targets are no tests, and need a compiler of their own
		}
		roots = append(roots, dir)
		needs := []Need{{Program: "cargo", Install: "install Rust with rustup"}}
		p.Commands = append(p.Commands, Command{Kind: Test, Tool: "cargo", Dir: dir, Argv: []string{"cargo", "test", "--offline", "--no-fail-fast", "--workspace"}, Env: map[string]string{"CARGO_TERM_COLOR": "never"},
			Typed: "cargo test", Format: parse.Cargo, Needs: needs, Why: "there is a Cargo.toml"})
		if t.have[path.Join(dir, "clippy.toml")] || t.have[path.Join(dir, ".clippy.toml")] {
			p.Commands = append(p.Commands, Command{Kind: Lint, Tool: "clippy", Dir: dir, Argv: []string{"cargo", "clippy", "--offline", "--message-format=short"}, Env: map[string]string{"CARGO_TERM_COLOR": "never"},
				Typed: "cargo clippy", Format: parse.Lines, Needs: []Need{{Program: "cargo-clippy", Install: "rustup component add clippy"}}, Why: "there is a clippy.toml"})
		}
		p.Setup = append(p.Setup, inFolder(dir, "cargo fetch"))
	}
}

// Programs that a repository brings run where what they load is on this machine, or
// where nothing else would do: they fetch the tool itself otherwise.
const (
	mavenWrapper  = `if [ ! -d "$MAVEN_USER_HOME/wrapper/dists" ] && command -v mvn >/dev/null; then exec mvn "$@"; fi; exec sh ./mvnw "$@"`
	gradleWrapper = `if [ ! -d "$GRADLE_RO_DEP_CACHE/../wrapper/dists" ] && command -v gradle >/dev/null; then exec gradle "$@"; fi
for d in "$GRADLE_RO_DEP_CACHE"/../wrapper/dists/*/*/; do
	to="$HOME/.gradle/wrapper/dists/${d#*/wrapper/dists/}"; mkdir -p "$to" && ln -s "$d"* "$to" # it locks a file beside them
done
exec sh ./gradlew "$@"`
)

// java finds the topmost Maven and Gradle builds. Where both describe the same
// folder, Maven's is taken.
func (t *Tree) java(p *Plan) {
	var maven, gradle []string
	covered := func(roots []string, dir string) bool {
		return slices.ContainsFunc(roots, func(r string) bool { return r == dir || Within(dir, r) })
	}
	add := func(c Command, program, wrapper, script string) {
		typed, argv := program, []string{program}
		c.Needs = []Need{{Program: program, Install: "apt-get install " + program}, {Program: "javac", Install: "apt-get install default-jdk-headless"}}
		if t.have[path.Join(c.Dir, wrapper)] {
			typed, argv = "./"+wrapper, []string{"sh", "-c", script, "sh"}
			c.Needs = c.Needs[1:]
		} else if c.Tool == "maven" {
			c.Needs[0].Install = "apt-get install maven"
		}
		c.Kind, c.Argv, c.Typed = Test, slices.Concat(argv, c.Argv), typed+" test"
		for _, f := range t.Files {
			if Within(f, c.Dir) && code.LanguageOf(f) == code.Java && code.IsTest(f) {
				c.Files = append(c.Files, f)
			}
		}
		p.Commands = append(p.Commands, c)
		if c.Tool == "maven" { // nothing but a run of the tests fetches all that one needs
			p.Setup = append(p.Setup, inFolder(c.Dir, typed+" -B -Dmaven.test.failure.ignore=true test"), inFolder(c.Dir, typed+" -B clean"))
		}
	}
	for _, f := range t.shallow() {
		dir := path.Dir(f)
		if InDir(f, "testdata", "fixtures") {
			continue
		}
		switch path.Base(f) {
		case "pom.xml":
			if !covered(maven, dir) {
				maven = append(maven, dir)
				// What depends on a module is run whatever fails there.
				add(Command{Tool: "maven", Dir: dir, Argv: []string{"-B", "-o", "-fae", "-Dstyle.color=never", "-Dmaven.test.failure.ignore=true", "-DtrimStackTrace=false", "test"},
					Format: parse.Surefire, Results: "target/surefire-reports/TEST-*.xml", Why: "there is a pom.xml"}, "mvn", "mvnw", mavenWrapper)
			}
		case "settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts":
			if !covered(append(gradle, maven...), dir) && !t.have[path.Join(dir, "pom.xml")] {
				gradle = append(gradle, dir)
				add(Command{Tool: "gradle", Dir: dir, Argv: []string{"--offline", "--console=plain", "--no-daemon", "--continue", "test"},
					Format: parse.Surefire, Results: "build/test-results/*/*.xml", Why: "there is a " + path.Base(f)}, "gradle", "gradlew", gradleWrapper)
			}
		}
	}
}

var cmakeTests = lazyregexp.New(`(?im)^\s*(?:enable_testing|add_test|gtest_discover_tests|gtest_add_tests|catch_discover_tests|doctest_discover_tests)\s*\(|^\s*include\s*\(\s*CTest\s*\)`)

// runCTest configures and builds outside the tree, in the same folder each time if it
// can: ccache knows by it what it compiled. FETTLE_INCLUDE names a file of the
// tree that CMake reads at the begin of the project.
const runCTest = `b="${TMPDIR:-/tmp}/cmake-build"; mkdir "$b" 2>/dev/null || b=$(mktemp -d); l=; if command -v ccache >/dev/null; then l="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"; fi
cmake -S . -B "$b" -DBUILD_TESTING=ON $l ${FETTLE_INCLUDE:+-DCMAKE_PROJECT_INCLUDE="$PWD/$FETTLE_INCLUDE"} && cmake --build "$b" -j 2 && exec ctest --test-dir "$b" --output-junit {out}/ctest.xml --test-output-size-passed 65536 --test-output-size-failed 65536 "$@"`

// cmake finds the topmost projects of CMake that have tests.
func (t *Tree) cmake(p *Plan) {
	var roots []string
	for _, f := range t.shallow() {
		dir := path.Dir(f)
		below := func(r string) bool { return dir == r || Within(dir, r) }
		if path.Base(f) != "CMakeLists.txt" || InDir(f, "testdata", "fixtures", "third_party", "extern", "external", "deps") || slices.ContainsFunc(roots, below) {
			continue
		}
		within := func(o string) bool {
			return path.Base(o) == "CMakeLists.txt" && Within(o, dir) && cmakeTests.MatchString(t.Read(o))
		}
		if !slices.ContainsFunc(t.Files, within) {
			continue
		}
		roots = append(roots, dir)
		p.Commands = append(p.Commands, Command{Kind: Test, Tool: "ctest", Dir: dir, Argv: []string{"sh", "-c", runCTest, "ctest"}, Typed: "cmake -S . -B build && cmake --build build && ctest --test-dir build",
			Format: parse.CTest, Results: "ctest.xml", Needs: []Need{{Program: "cmake", Install: "apt-get install cmake g++"}, {Program: "ctest", Install: "apt-get install cmake"}}, Why: "there is a CMakeLists.txt with tests"})
	}
}

// make is asked only where nothing else says how tests are run.
func (t *Tree) make(p *Plan) {
	if p.Tests() {
		return
	}
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
		if !t.have[name] {
			continue
		}
		targets := map[string]bool{}
		for _, m := range makeTarget.FindAllStringSubmatch(t.Read(name), -1) {
			targets[m[1]] = true
		}
		for _, want := range []string{"test", "check", "tests"} {
			if targets[want] {
				p.Commands = append(p.Commands, Command{Kind: Test, Tool: "make", Dir: ".", Argv: []string{"make", want}, Typed: "make " + want,
					Needs: []Need{{Program: "make", Install: "apt-get install make"}}, Why: name + " has the target " + want})
				return
			}
		}
	}
}

// others names build systems that are not covered.
func (t *Tree) others(p *Plan) {
	names := map[string]string{"mix.exs": "Elixir", "Package.swift": "Swift", "deno.json": "Deno"}
	for _, f := range t.Files {
		if lang, ok := names[path.Base(f)]; ok && !InDir(f, "testdata", "fixtures") {
			p.Unknown = append(p.Unknown, f+" ("+lang+")")
			p.Notes = append(p.Notes, f+" ("+lang+") is not covered; name the command under checks in .fettle.yml")
			delete(names, path.Base(f))
		}
	}
}
