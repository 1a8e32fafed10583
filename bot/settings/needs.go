package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Needs is what a repository's tests need beside its files.
type Needs struct {
	Env      map[string]string `json:"env,omitempty"`
	Services []Service         `json:"services,omitempty"` // started in this order
}

// Service is one of ServiceKinds, by the programs of the machine, or a command of
// the repository's.
type Service struct {
	Name     string        `json:"name"`
	Run      string        `json:"run,omitempty"` // a line for the shell, run at the root of the tree; "": Name is a kind
	Port     int           `json:"port"`
	Ready    string        `json:"ready,omitempty"` // path that is asked until it answers; "": until the port takes connections, or as the kind says
	Within   time.Duration `json:"within"`
	User     string        `json:"user,omitempty"` // of a database, with Password and Database
	Password string        `json:"password,omitempty"`
	Database string        `json:"database,omitempty"`
}

// ServiceKinds are the services that are started by their names alone, as they are
// where nothing else is said.
var ServiceKinds = map[string]Service{
	"postgres": {Name: "postgres", Port: 5432, Within: 60 * time.Second, User: "postgres", Password: "postgres", Database: "test"},
	"mysql":    {Name: "mysql", Port: 3306, Within: 60 * time.Second, User: "root", Password: "mysql", Database: "test"},
	"redis":    {Name: "redis", Port: 6379, Within: 20 * time.Second},
}

const (
	maxServices  = 10
	maxVariables = 200
)

var (
	serviceName = lazyregexp.New(`^[a-z][a-z0-9_-]{0,29}$`)
	account     = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_]{0,62}$`)
	password    = lazyregexp.New(`^[A-Za-z0-9_.~-]{1,100}$`) // stands in URLs and in SQL as it is
)

func services(v value) ([]Service, error) {
	if v.kind != list || len(v.items) > maxServices {
		return nil, v.errorf("must be a list of at most %d services: postgres, mysql, redis, or {name, run, port}", maxServices)
	}
	var out []Service
	for _, item := range v.items {
		s, err := oneService(item)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o Service) bool { return o.Name == s.Name || o.Port == s.Port }) {
			return nil, item.errorf("another service has the name %s or the port %d", s.Name, s.Port)
		}
		out = append(out, s)
	}
	return out, nil
}

func oneService(v value) (s Service, err error) {
	given, _ := v.has("name")
	if v.kind != mapping {
		given = v
	}
	if s.Name, err = given.string(); err != nil {
		return s, v.errorf("needs a name: postgres, mysql or redis, or one of your own with run and port")
	}
	run, own := v.has("run")
	kind, known := ServiceKinds[s.Name]
	switch {
	case !serviceName.MatchString(s.Name):
		return s, given.errorf("must be a name of small letters, digits, _ and -")
	case own && known:
		return s, run.errorf("%s is started by the machine's own programs; give a command of your own another name", s.Name)
	case known:
		s = kind
	case !own:
		return s, v.errorf("fettle knows no service %s (but postgres, mysql and redis): say how it is started with run and port", s.Name)
	default:
		s.Within = 30 * time.Second
	}
	if v.kind != mapping {
		return s, nil
	}
	allowed := []string{"name", "port", "ready"}
	if own {
		allowed = append(allowed, "run")
	}
	if s.User != "" {
		allowed = append(allowed, "user", "password", "database")
	}
	ready, _ := v.has("ready")
	err = first(
		v.only(nil, allowed...),
		set(v, "run", &s.Run, value.string),
		set(v, "port", &s.Port, port),
		set(v, "user", &s.User, matching(account, "must be a name of letters, digits and _")),
		set(v, "password", &s.Password, matching(password, "must be of letters, digits and _ . ~ - (it is known to everybody who reads this file)")),
		set(v, "database", &s.Database, matching(account, "must be a name of letters, digits and _")),
		readiness(ready, &s.Ready, &s.Within),
	)
	switch {
	case err != nil:
		return s, err
	case s.Port == 0:
		return s, v.errorf("needs a port, at which the tests find it")
	case own && refused(s.Variable("HOST")) != nil:
		return s, given.errorf("would be told to tests as %s, which %v; choose another name", s.Variable("HOST"), refused(s.Variable("HOST")))
	case known && s.Ready != "":
		return s, ready.errorf("path is for services that speak HTTP")
	}
	return s, nil
}

// Variable names a variable of the service: MAIL_PORT for "mail" and PORT.
func (s Service) Variable(what string) string {
	return strings.ReplaceAll(strings.ToUpper(s.Name), "-", "_") + "_" + what
}

var port = whole(1024, 65535)

// readiness reads how long something may take to get ready, and what it has to answer.
func readiness(v value, path *string, within *time.Duration) error {
	return first(
		v.only(nil, "path", "seconds"),
		set(v, "path", path, requestPath),
		set(v, "seconds", within, func(v value) (time.Duration, error) {
			n, err := v.number(0.1, 120)
			return time.Duration(n * float64(time.Second)), err
		}),
	)
}

func matching(rule *lazyregexp.Regexp, words string) func(value) (string, error) {
	return func(v value) (string, error) {
		s, err := v.string()
		if err == nil && !rule.MatchString(s) {
			err = v.errorf("%s", words)
		}
		return s, err
	}
}

// plainVariables reads the variables that a repository sets for its tests: none by
// which a program is told what to load or run, and none of fettle's.
func plainVariables(v value) (map[string]string, error) {
	if len(v.order) > maxVariables {
		return nil, v.errorf("may name at most %d variables", maxVariables)
	}
	return variables(v, func(name, _ string) error { return refused(name) })
}

var errReserved = errors.New("is set by fettle or decides what programs load and run, and is no repository's to set")

// refused says why a repository may not set a variable, nil where it may. What the
// sandbox and the judge set is stronger in any case.
func refused(name string) error {
	upper := strings.ToUpper(name)
	if slices.ContainsFunc(allowedNames, func(a string) bool { return upper == a }) {
		return nil
	}
	if slices.Contains(reservedNames, upper) || slices.ContainsFunc(reservedBeginnings, func(p string) bool { return strings.HasPrefix(upper, p) }) {
		return errReserved
	}
	return nil
}

var (
	// allowedNames are free although a reserved beginning covers them.
	allowedNames = []string{"NODE_ENV", "RUST_LOG", "RUST_BACKTRACE", "GOMAXPROCS", "PYTHONWARNINGS",
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"}
	reservedBeginnings = []string{"FETTLE", "LD_", "DYLD_", "GLIBC_", "MALLOC_", "PYTHON", "PYTEST", "NODE_", "NPM_", "YARN_", "MOCHA_", "JEST_", "VITEST", "TAP_",
		"CARGO", "RUST", "GIT_", "MAVEN_", "GRADLE_", "RUBY", "BUNDLE_", "GEM_", "PHP_", "PHPUNIT", "PERL", "OPENSSL_", "XDEBUG_", "COMPOSER", "CGO_", "CMAKE_", "CTEST_", "GTEST_", "CCACHE_", "BASH", "JDK_", "JAVA_", "_JAVA"}
	reservedNames = []string{"PATH", "HOME", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "CI", "PWD", "OLDPWD", "IFS", "ENV", "SHELLOPTS", "PS4",
		"NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "CLASSPATH", "GCONV_PATH", "LOCPATH", "MAKEFLAGS", "PHPRC", "SPEC_OPTS", "TESTOPTS", "TESTOPT", "VIRTUAL_ENV",
		"GOFLAGS", "GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GOTOOLCHAIN", "GOTELEMETRY", "GOENV", "GOWORK", "GODEBUG", "GOEXPERIMENT", "GOCOVERDIR", "GOOS", "GOARCH", "GOTMPDIR", "GO111MODULE"}
)

// String says a service in one line.
func (s Service) String() string {
	if s.Run == "" {
		return fmt.Sprintf("%s at port %d", s.Name, s.Port)
	}
	return fmt.Sprintf("%s (%s) at port %d", s.Name, s.Run, s.Port)
}
