package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

var (
	phpunitXML = []string{"phpunit.xml", "phpunit.dist.xml", "phpunit.xml.dist"}
	phpSuites  = lazyregexp.New(`(?s)<testsuites?\b.*</testsuites?>`)
	phpAuto    = lazyregexp.New(`\sbootstrap\s*=`)
	phpFolder  = lazyregexp.New(`<directory\b[^>]*>\s*([^<]+?)\s*</directory>`)
)

// php finds PHPUnit: by its settings, or by test files beside a composer.json.
func (t *Tree) php(p *Plan) {
	projects := map[string][]string{}
	var dirs []string
	for _, f := range t.Files {
		if base := path.Base(f); !strings.HasSuffix(base, "Test.php") || base == "Test.php" || InDir(f, "testdata", "fixtures", "_files") {
			continue
		}
		dir, ok := t.Nearest(f, append(phpunitXML, "composer.json")...)
		if i := strings.Index("/"+f, "/tests/"); !ok && i > 0 {
			dir = f[:i-1]
		}
		if projects[dir] == nil {
			dirs = append(dirs, dir)
		}
		projects[dir] = append(projects[dir], f)
	}
	for _, dir := range dirs {
		t.phpunit(p, dir, projects[dir])
	}
}

// phpunitRun starts composer's PHPUnit, which a setup may have installed, else that of
// the PATH, which does not load the project's classes by itself. $0 tells whether
// settings name a bootstrap.
const phpunitRun = `[ "$0" = set ] || [ ! -f vendor/autoload.php ] || set -- --bootstrap vendor/autoload.php "$@"
[ ! -f vendor/bin/phpunit ] || exec php vendor/bin/phpunit "$@"
exec phpunit "$@"`

// phpunit adds a project's command: with settings all that they name is run, else
// the folder that holds the test files.
func (t *Tree) phpunit(p *Plan, dir string, files []string) {
	rel := func(f string) string {
		return strings.TrimPrefix(strings.TrimPrefix("/"+f, "/"+strings.TrimPrefix(dir, ".")), "/")
	}
	composer, set, typed := path.Join(dir, "composer.json"), "unset", "phpunit"
	needs := []Need{{Program: "php", Install: "install PHP"}}
	if strings.Contains(t.Read(composer), `"phpunit/phpunit"`) {
		typed = "vendor/bin/phpunit"
	} else {
		needs = append(needs, Need{Program: "phpunit", Install: "composer require --dev phpunit/phpunit, or install PHPUnit"})
	}
	options := []string{"--colors=never", "--do-not-cache-result", "--log-junit", "{out}/phpunit.xml"}
	if at := slices.IndexFunc(phpunitXML, func(name string) bool { return t.have[path.Join(dir, name)] }); at >= 0 {
		var suites []string
		xml := t.Read(path.Join(dir, phpunitXML[at]))
		if phpAuto.MatchString(xml) {
			set = "set"
		}
		for _, m := range phpFolder.FindAllStringSubmatch(phpSuites.FindString(xml), -1) {
			suites = append(suites, path.Clean(m[1])+"/")
		}
		named := slices.DeleteFunc(slices.Clone(files), func(f string) bool {
			return !slices.ContainsFunc(suites, func(s string) bool { return s == "./" || strings.HasPrefix(rel(f), s) })
		})
		if len(named) > 0 {
			files = named
		}
	} else {
		var tops []string
		for _, f := range files {
			top, _, deep := strings.Cut(rel(f), "/")
			if !deep {
				top = "."
			}
			tops = append(tops, top)
		}
		if tops = unique(tops); len(tops) > 1 { // it takes one folder
			tops = []string{"."}
		}
		options, typed = append(options, tops[0]), typed+" "+tops[0]
	}
	p.Commands = append(p.Commands, Command{Kind: Test, Tool: "phpunit", Dir: dir, Argv: append([]string{"sh", "-c", phpunitRun, set}, options...), Typed: typed,
		Format: parse.JUnit, Results: "phpunit.xml", Needs: needs, Files: files, Why: "there is " + files[0]})
	if t.have[composer] {
		p.Setup = append(p.Setup, inFolder(dir, "composer install"))
	}
}
