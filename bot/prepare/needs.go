package prepare

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
)

// kind is how one of settings.ServiceKinds is started. Its scripts begin in a fresh
// folder and are told PORT, USER_NAME, PASSWORD and DATABASE; status 127 says that a
// program is not there. They read nothing of the tree.
type kind struct {
	packages string // of Debian
	start    string
	ready    string // "": the port takes connections
	// told are the variables by which clients and libraries find it.
	told func(s settings.Service) map[string]string
}

// What the data holds is gone in a minute: nothing is synced to disk.
var kinds = map[string]kind{
	"postgres": {
		packages: "postgresql",
		start: postgresPath + `
command -v initdb >/dev/null && command -v postgres >/dev/null || { echo "initdb and postgres were looked for in $PATH"; exit 127; }
initdb --no-sync --wal-segsize=1 -D data -U "$USER_NAME" -A trust -E UTF8 --locale=C.UTF-8 >init.log 2>&1 || { cat init.log; exit 1; }
[ "$DATABASE" = postgres ] || echo "CREATE DATABASE \"$DATABASE\"" | postgres --single -F -D data postgres >init.log 2>&1 || { cat init.log; exit 1; }
exec postgres -D data -p "$PORT" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c full_page_writes=off -c synchronous_commit=off -c shared_buffers=16MB -c max_connections=100`,
		ready: postgresPath + `
exec pg_isready -q -h 127.0.0.1 -p "$PORT"`,
		told: func(s settings.Service) map[string]string {
			return map[string]string{"PGHOST": host, "PGPORT": strconv.Itoa(s.Port), "PGUSER": s.User, "PGPASSWORD": s.Password, "PGDATABASE": s.Database, "DATABASE_URL": address("postgres", s)}
		},
	},
	"mysql": {
		packages: "default-mysql-server",
		start: sbin + `
server=$(command -v mariadbd || command -v mysqld) || { echo "mariadbd and mysqld were looked for in $PATH"; exit 127; }
root=$([ "$(id -u)" -ne 0 ] || echo --user=root) # where there are no walls
mkdir data
if command -v mariadb-install-db >/dev/null; then
	mariadb-install-db --no-defaults $root --datadir="$PWD/data" --auth-root-authentication-method=normal --skip-test-db --innodb-log-file-size=4M >init.log 2>&1
else
	"$server" --no-defaults $root --initialize-insecure --datadir="$PWD/data" >init.log 2>&1
fi || { cat init.log; exit 1; }
cat >init.sql <<END
CREATE DATABASE IF NOT EXISTS $DATABASE;
CREATE USER IF NOT EXISTS '$USER_NAME'@'127.0.0.1', '$USER_NAME'@'localhost';
ALTER USER '$USER_NAME'@'127.0.0.1' IDENTIFIED BY '$PASSWORD', '$USER_NAME'@'localhost' IDENTIFIED BY '$PASSWORD';
GRANT ALL PRIVILEGES ON *.* TO '$USER_NAME'@'127.0.0.1' WITH GRANT OPTION;
GRANT ALL PRIVILEGES ON *.* TO '$USER_NAME'@'localhost' WITH GRANT OPTION;
END
exec "$server" --no-defaults $root --datadir="$PWD/data" --init-file="$PWD/init.sql" --bind-address=127.0.0.1 --port="$PORT" --socket=s.sock --pid-file="$PWD/pid" --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=32M --skip-name-resolve`,
		told: func(s settings.Service) map[string]string {
			return map[string]string{"MYSQL_HOST": host, "MYSQL_PORT": strconv.Itoa(s.Port), "MYSQL_TCP_PORT": strconv.Itoa(s.Port), "MYSQL_USER": s.User, "MYSQL_PASSWORD": s.Password, "MYSQL_PWD": s.Password,
				"MYSQL_DATABASE": s.Database, "MYSQL_URL": address("mysql", s), "DATABASE_URL": address("mysql", s)}
		},
	},
	"redis": {
		packages: "redis-server",
		start: sbin + `
server=$(command -v redis-server || command -v valkey-server) || { echo "redis-server and valkey-server were looked for in $PATH"; exit 127; }
exec "$server" --bind 127.0.0.1 --port "$PORT" --dir "$PWD" --save "" --appendonly no`,
		told: func(s settings.Service) map[string]string {
			return map[string]string{"REDIS_HOST": host, "REDIS_PORT": strconv.Itoa(s.Port), "REDIS_URL": fmt.Sprintf("redis://%s:%d/0", host, s.Port)}
		},
	},
}

const (
	host         = "127.0.0.1"
	sbin         = `PATH="$PATH:/usr/sbin:/sbin"`
	postgresPath = `for d in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin; do PATH="$PATH:$d"; done`
)

// address is a database's URL, as DATABASE_URL has it.
func address(scheme string, s settings.Service) string {
	u := url.URL{Scheme: scheme, User: url.UserPassword(s.User, s.Password), Host: fmt.Sprintf("%s:%d", host, s.Port), Path: "/" + s.Database}
	return u.String()
}

// Need is Need for the session's sandbox.
func (s *Session) Need(n settings.Needs, git bool) error { return Need(s.box, n, git) }

// Need gives a Session of the sandbox what a repository's own file says that its
// tests need. Of two databases the first is DATABASE_URL; what the file sets by
// itself is stronger than what the services tell. git: they look for a working copy.
func Need(box *sandbox.Sandbox, n settings.Needs, git bool) error {
	out := sandbox.Needs{Env: map[string]string{}, Git: git}
	for _, s := range n.Services {
		one := sandbox.Service{Name: s.Name, Port: s.Port, Path: s.Ready, Within: s.Within}
		told := map[string]string{s.Variable("HOST"): host, s.Variable("PORT"): strconv.Itoa(s.Port)}
		if k, ok := kinds[s.Name]; ok {
			with := fmt.Sprintf("USER_NAME=%s PASSWORD=%s DATABASE=%s\n", s.User, s.Password, s.Database) // of letters and digits, mostly: settings sees to it
			one.Argv, one.Apart, told = []string{"/bin/sh", "-c", with + k.start}, true, k.told(s)
			if k.ready != "" {
				one.Ready = []string{"/bin/sh", "-c", k.ready}
			}
			one.Cure = fmt.Sprintf("install it where the tests run (Debian: apt-get install %s), or take it out of services in %s", k.packages, settings.RepoFile)
		} else {
			one.Argv = []string{"/bin/sh", "-c", s.Run}
			one.Cure = fmt.Sprintf("see to it that its command is there: %s", strings.TrimSpace(s.Run))
		}
		out.Services = append(out.Services, one)
		maps.Copy(told, out.Env) // the first one's stand
		out.Env = told
	}
	maps.Copy(out.Env, n.Env)
	if err := box.Need(out); err != nil {
		return fmt.Errorf("giving the tests what they need: %w", err)
	}
	return nil
}
