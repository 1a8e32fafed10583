package prepare

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
)

// needing opens a session of a backend that has what a file says.
func needing(t *testing.T, backend, file string, git bool) *sandbox.Sandbox {
	t.Helper()
	repo, err := settings.LoadRepo([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := sandbox.New(t.Context(), sandbox.Config{Backend: backend, StateDir: t.TempDir()})
	if err != nil {
		t.Fatalf("the tests need the sandbox: %v", err)
	}
	t.Cleanup(func() { _ = whole.Close() })
	s := whole.Session()
	t.Cleanup(func() { _ = s.Close() })
	if err := Need(s, repo.Needs, git); err != nil {
		t.Fatal(err)
	}
	return s
}

func asks(t *testing.T, s *sandbox.Sandbox, dir string, script string) sandbox.Result {
	t.Helper()
	w, err := s.Workspace(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	begun := time.Now()
	res, err := w.Run(t.Context(), sandbox.Command{Argv: []string{"/bin/sh", "-c", script}, Needs: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s with %.40q", time.Since(begun).Round(time.Millisecond), script)
	return res
}

func TestC1KnownServicesAnswerWhereTheirVariablesSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, looks, ask, want string }{
		{"services: [postgres]", "/usr/lib/postgresql/*/bin/postgres", `psql -qAtc "create table a (n int); insert into a values (41); select n+1 from a" && psql -At "$DATABASE_URL" -c "select current_database()||current_user"`, "42\ntestpostgres"},
		{"services: [{name: postgres, port: 6543, user: shop, password: secret-1, database: shop_test}]", "/usr/lib/postgresql/*/bin/postgres", `echo $PGPORT $PGHOST; psql -At "$DATABASE_URL" -c "select current_database()||current_user"`, "6543 127.0.0.1\nshop_testshop"},
		{"services: [mysql]", "/usr/sbin/mariadbd", `mariadb -h $MYSQL_HOST -u $MYSQL_USER -N -e "select 41+1" $MYSQL_DATABASE; echo $DATABASE_URL`, "42\nmysql://root:mysql@127.0.0.1:3306/test"},
		{"services: [{name: mysql, port: 3307, user: shop, password: s3cret, database: shop}]", "/usr/sbin/mariadbd", `mariadb -h $MYSQL_HOST -P $MYSQL_PORT -u $MYSQL_USER -N -e "create table a (n int); select database()" $MYSQL_DATABASE`, "shop"},
		{"services: [redis]", "/usr/bin/redis-server", `redis-cli -u "$REDIS_URL" set a 42; redis-cli -h $REDIS_HOST -p $REDIS_PORT get a`, "OK\n42"},
		{"services: [redis, postgres]\nenv: {DATABASE_URL: mine, APP: \"1\"}", "/usr/bin/redis-server", `echo $REDIS_URL $PGPORT $DATABASE_URL $APP`, "redis://127.0.0.1:6379/0 5432 mine 1"},
	} {
		for _, backend := range []string{sandbox.Bubblewrap, sandbox.None} {
			t.Run(backend+" "+c.file, func(t *testing.T) {
				t.Parallel()
				if found, _ := filepath.Glob(c.looks); len(found) == 0 {
					t.Skipf("%s is not installed", c.looks)
				}
				if backend == sandbox.None && os.Getuid() == 0 && strings.Contains(c.file, "postgres") {
					t.Skip("Postgres does not run as root, and without walls nothing makes it another user")
				}
				if backend == sandbox.None && testing.Short() {
					t.Skip("in the short form the sandbox alone")
				}
				s := needing(t, backend, c.file, false)
				for range 2 { // the second finds nothing of the first
					if res := asks(t, s, "", c.ask); !res.OK() || strings.TrimSpace(string(res.Stdout)) != c.want {
						t.Fatalf("%+v\n%s\n%s", res, res.Stdout, res.Stderr)
					}
				}
			})
		}
	}
}

func TestC1AServiceOfTheRepositorysOwnIsStartedAndEndedWithTheTests(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := "import http.server, os\nopen(os.environ['TMPDIR'] + '/data', 'w').write('x')\nprint('serving', flush=True)\nhttp.server.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), http.server.SimpleHTTPRequestHandler).serve_forever()\n"
	if err := os.WriteFile(filepath.Join(dir, "server.py"), []byte(server), 0o644); err != nil {
		t.Fatal(err)
	}
	const ask = `python3 -c 'import os, urllib.request as u; print(len(u.urlopen("http://%s:%s/server.py" % (os.environ["FILE_STORE_HOST"], os.environ["FILE_STORE_PORT"])).read()))'; exit 3`
	for _, backend := range []string{sandbox.Bubblewrap, sandbox.None} {
		s := needing(t, backend, "services: [{name: file-store, run: exec python3 server.py, port: 18"+map[string]string{sandbox.Bubblewrap: "123", sandbox.None: "124"}[backend]+", ready: {path: /server.py, seconds: 20}}]", false)
		res := asks(t, s, dir, ask)
		if res.ExitCode != 3 || strings.TrimSpace(string(res.Stdout)) != "222" || res.Unserved != "" {
			t.Errorf("%s: %+v\n%s\n%s", backend, res, res.Stdout, res.Stderr)
		}
	}
	if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "pgrep", "-f", "python3 server[.]py").Output(); err == nil && len(out) > 0 {
		t.Errorf("left behind: %s", out)
	}
}

func TestC1AServiceThatIsNotThereIsSaidWithTheCure(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"services: [{name: a, run: no-such-program --x, port: 18201}]":                                                            "the service a ended before it was ready: a program was not found; it said last: /bin/sh: 1: no-such-program: not found; see to it that its command is there: no-such-program --x",
		"services: [{name: b, run: echo a reason; exit 3, port: 18202}]":                                                          "the service b ended before it was ready: exit status 3; it said last: a reason",
		"services: [{name: c, run: echo mute; sleep 60, port: 18203, ready: {seconds: 1}}]":                                       "the service c was not ready within 1s: ",
		"services: [{name: d, run: exec python3 -m http.server -b 127.0.0.1 18204, port: 18204, ready: {path: /no, seconds: 3}}]": "/no answered 404",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			s := needing(t, sandbox.Bubblewrap, file, false)
			res := asks(t, s, "", "echo the tests run")
			if res.OK() || !strings.Contains(res.Unserved, want) || len(res.Stdout) > 0 {
				t.Errorf("%+v\n%s\n%s", res.Unserved, res.Stdout, res.Stderr)
			}
		})
	}
	missing := kinds["postgres"]
	if out, err := exec.CommandContext(t.Context(), "/usr/bin/env", "-i", "PATH=/nowhere", "/bin/sh", "-c", strings.NewReplacer("/usr/lib/postgresql", "/nowhere", "/usr/pgsql-", "/nowhere").Replace(missing.start)).CombinedOutput(); err == nil || !strings.Contains(string(out), "were looked for") {
		t.Errorf("%v %s", err, out)
	}
}

func TestC1VariablesOfARepositoryNeverBeatTheSandboxs(t *testing.T) {
	t.Parallel()
	whole, err := sandbox.New(t.Context(), sandbox.Config{StateDir: t.TempDir()})
	if err != nil {
		t.Fatalf("the tests need the sandbox: %v", err)
	}
	defer whole.Close()
	s := whole.Session()
	defer s.Close()
	plain := asks(t, s, "", "env").Stdout
	forged := map[string]string{}
	for line := range strings.Lines(string(plain)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name == "PWD" || name == "_" || name == "OLDPWD" { // the shell's own
			continue
		}
		forged[name] = "forged"
		if _, err := settings.LoadRepo([]byte("env: {" + name + ": x}")); err == nil {
			t.Errorf("a repository may set %s, which the sandbox sets", name)
		}
	}
	if err := s.Need(sandbox.Needs{Env: forged}); err != nil { // though no settings would let it
		t.Fatal(err)
	}
	if got := asks(t, s, "", "env").Stdout; strings.Contains(string(got), "forged") || len(forged) < 20 {
		t.Errorf("%d names\n%s", len(forged), got)
	}
}

func TestC1TestsThatNeedGitFindARepositoryOfOneCommit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "a\r\n", "deep/b.txt": "b", ".gitignore": "*.log\n", "x.log": "x", ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "c.bin": "c", "node_modules/d/e.js": "e"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, backend := range []string{sandbox.Bubblewrap, sandbox.None} {
		s := needing(t, backend, "", true)
		res := asks(t, s, dir, `git status --porcelain; git rev-list --count HEAD; git ls-files; git log -1 --format=%an%ct; echo more >f; git add f && git commit -qm more && git rev-list --count HEAD; ls -d .fettle* 2>/dev/null`)
		want := "1\n.gitattributes\n.gitignore\na.txt\nc.bin\ndeep/b.txt\nfettle1700000000\n2"
		if strings.TrimSpace(string(res.Stdout)) != want {
			t.Errorf("%s: %s\n%s", backend, res.Stdout, res.Stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		t.Error("the folder itself was given a repository")
	}
}
