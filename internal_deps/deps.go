//go:build deps

package deps

import (
	_ "charm.land/fang/v2"
	_ "github.com/aymanbagabas/go-udiff"
	_ "github.com/bluekeyes/go-gitdiff/gitdiff"
	_ "github.com/bradleyfalzon/ghinstallation/v2"
	_ "github.com/cenkalti/backoff/v5"
	_ "github.com/getkin/kin-openapi/openapi3"
	_ "github.com/go-git/go-git/v5"
	_ "github.com/goccy/go-yaml"
	_ "github.com/google/go-github/v60/github"
	_ "github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/pressly/goose/v3"
	_ "github.com/riverqueue/river"
	_ "github.com/riverqueue/river/riverdriver/riverdatabasesql"
	_ "github.com/riverqueue/river/riverdriver/riverpgxv5"
	_ "github.com/riverqueue/river/riverdriver/riversqlite"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/sashabaranov/go-openai"
	_ "github.com/sirupsen/logrus"
	_ "github.com/spf13/cobra"
	_ "github.com/tetratelabs/wazero"
	_ "golang.org/x/net/bpf"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/text/unicode/norm"
	_ "modernc.org/sqlite"
	_ "pgregory.net/rapid"
)
