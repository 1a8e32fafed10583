package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/fettle-dev/fettle/bot/store"
)

// Server is a Postgres server of the test's own: in a temporary folder, on a
// Unix socket only, stopped and deleted when the test ends.
type Server struct {
	bin, dir string
	cred     *syscall.Credential
	exited   chan struct{}
	process  *os.Process
	template sync.Once
	tmplErr  error
	mu       sync.Mutex // CREATE DATABASE copies one template: one at a time
	n        atomic.Int64
}

// StartPostgres starts a server. Where Postgres is not installed the test
// fails with what to install; with -short it is skipped.
func StartPostgres(t testing.TB) *Server {
	t.Helper()
	bin, err := findPostgres()
	if err != nil {
		if testing.Short() {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	s := &Server{bin: bin}
	if err := s.prepare(); err != nil {
		t.Fatalf("prepare a private Postgres: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(s.dir) })
	if err := s.Start(t.Context()); err != nil {
		t.Fatalf("start a private Postgres: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("stop the private Postgres: %v", err)
		}
	})
	return s
}

// findPostgres returns the folder with initdb and postgres, newest version first.
func findPostgres() (string, error) {
	if p, err := exec.LookPath("initdb"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil && executable(filepath.Join(filepath.Dir(p), "postgres")) {
			return filepath.Dir(p), nil
		}
	}
	best, bestVersion := "", -1
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin", "/usr/local/pgsql/bin"} {
		found, _ := filepath.Glob(pattern)
		for _, dir := range found {
			version, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
			if executable(filepath.Join(dir, "initdb")) && executable(filepath.Join(dir, "postgres")) && version > bestVersion {
				best, bestVersion = dir, version
			}
		}
	}
	if best == "" {
		return "", errors.New("the Postgres half of the store's tests needs Postgres's programs, and none were found: " +
			"install them (Debian, Ubuntu: apt-get install postgresql; macOS: brew install postgresql), or run the tests with -short to leave this half out")
	}
	return best, nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// prepare makes the folder and the empty cluster. Postgres refuses to run as
// root, so root hands the folder to another user.
func (s *Server) prepare() error {
	var err error
	if s.dir, err = os.MkdirTemp("/tmp", "fettle-pg-"); err != nil { // short: a socket's path has 107 bytes at most
		return err
	}
	if os.Geteuid() == 0 {
		if s.cred, err = otherUser(); err != nil {
			return err
		}
		if err := os.Chown(s.dir, int(s.cred.Uid), int(s.cred.Gid)); err != nil {
			return err
		}
	}
	cmd := s.command("initdb", "-D", s.data(), "-U", "fettle", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		os.RemoveAll(s.dir)
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

func otherUser() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("the Postgres server does not run as root, and there is neither a user postgres nor a user nobody to run it as")
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...) //nolint:noctx // the server lives until Stop, longer than the context of its start
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + s.bin + ":/usr/bin:/bin", "LC_ALL=C", "HOME=" + s.dir, "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred, Setpgid: true}
	return cmd
}

// Start starts the server, also again after Stop, and waits until it answers.
func (s *Server) Start(ctx context.Context) error {
	cmd := s.command("postgres", "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "shared_buffers=32MB", "-c", "max_connections=300", "-c", "log_min_messages=warning")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	started := make(chan error)
	exited := make(chan struct{})
	go func() {
		// The server dies with this thread, should the tests be killed.
		runtime.LockOSThread()
		diesWithParent(cmd.SysProcAttr)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(exited)
	}()
	if err := <-started; err != nil {
		return err
	}
	s.process, s.exited = cmd.Process, exited
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	db, err := sql.Open("pgx", s.url("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	for {
		err := db.PingContext(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-exited:
			return fmt.Errorf("the server ended: %s", log.String())
		case <-ctx.Done():
			_ = s.Stop()
			return fmt.Errorf("the server does not answer: %w\n%s", err, log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends the server at once, connections and all, and waits for its end.
func (s *Server) Stop() error {
	select {
	case <-s.exited:
		return nil
	default:
	}
	if err := s.process.Signal(syscall.SIGINT); err != nil { // "fast": no waiting for clients
		return err
	}
	select {
	case <-s.exited:
		return nil
	case <-time.After(20 * time.Second):
		_ = s.process.Signal(syscall.SIGQUIT)
		<-s.exited
		return errors.New("it had to be ended the hard way")
	}
}

func (s *Server) url(db string) string {
	return "postgres:///" + db + "?user=fettle&sslmode=disable&host=" + s.dir
}

// New makes a database with the store's tables and returns its address.
func (s *Server) New(t testing.TB) string {
	t.Helper()
	s.template.Do(func() {
		if s.tmplErr = s.exec(t, "CREATE DATABASE blank"); s.tmplErr != nil {
			return
		}
		st, err := store.Open(t.Context(), s.url("blank"), store.Config{})
		if err == nil {
			err = st.Close()
		}
		s.tmplErr = err
	})
	if s.tmplErr != nil {
		t.Fatalf("make the template database: %v", s.tmplErr)
	}
	name := fmt.Sprintf("t%d", s.n.Add(1))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exec(t, "CREATE DATABASE "+name+" TEMPLATE blank"); err != nil {
		t.Fatalf("make a database: %v", err)
	}
	return s.url(name)
}

// Empty makes a database without any table and returns its address.
func (s *Server) Empty(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("e%d", s.n.Add(1))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exec(t, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatalf("make a database: %v", err)
	}
	return s.url(name)
}

// KillConnections ends every connection to the database at url, as a restarted
// or failed-over server would.
func (s *Server) KillConnections(t testing.TB) {
	t.Helper()
	if err := s.exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) exec(t testing.TB, q string) error {
	db, err := sql.Open("pgx", s.url("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(context.WithoutCancel(t.Context()), q)
	return err
}

// SQLite returns the address of a database file that does not exist yet.
func SQLite(t testing.TB) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "fettle.db")
}
