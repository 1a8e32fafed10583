package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/settings"
)

// folder holds the App's secrets, beside the operator's file.
const folder = "github-app"

// ErrThere says that a file is there already.
var ErrThere = errors.New("is there already and is not written over")

// free refuses to begin where the files would not find a place.
func (c Config) free() error {
	secrets := filepath.Join(filepath.Dir(c.File), folder)
	if _, err := os.Lstat(secrets); err == nil {
		return fmt.Errorf("%s %w: it may hold the key of another App; move it away, or name another file with --config", secrets, ErrThere)
	}
	data, err := os.ReadFile(c.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if c.Add {
			return fmt.Errorf("there is no %s to add the App to; leave --add out", c.File)
		}
		return nil
	case err != nil:
		return fmt.Errorf("looking at %s: %w", c.File, err)
	case !c.Add:
		return fmt.Errorf("%s %w: --add puts the App into it, --config names another", c.File, ErrThere)
	}
	set, err := settings.Parse(c.File, data)
	if err != nil {
		return err
	}
	if set.GitHub.AppID != 0 {
		return fmt.Errorf("%s names the App %d already; take its github part out, or name another file with --config", c.File, set.GitHub.AppID)
	}
	return nil
}

// serve is the command that starts the server with the file, where a webhook of
// this machine alone says that it listens.
func (c Config) serve(hook string) string {
	command := "fettle serve"
	if usual, err := settings.File(""); err != nil || usual != c.File {
		command += " --config " + c.File
	}
	if u, err := url.Parse(hook); err == nil && reach(u.Hostname()) == loopback && u.Host != usualAddr {
		command += " --addr " + u.Host
	}
	return command
}

// spot is the place of the files. It is taken before GitHub is asked.
type spot struct {
	c       Config
	secrets string   // the folder
	made    []string // what is taken away again, the last first, until all is written
}

func (s *spot) key() string    { return filepath.Join(s.secrets, "private-key.pem") }
func (s *spot) secret() string { return filepath.Join(s.secrets, "webhook-secret") }

// reserve makes the folder and an empty operator's file, where there is none.
func (c Config) reserve() (*spot, error) {
	if err := c.free(); err != nil {
		return nil, err
	}
	s := &spot{c: c, secrets: filepath.Join(filepath.Dir(c.File), folder)}
	dir := filepath.Dir(c.File)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("making the folder of the operator's file: %w", err)
		}
		s.made = append(s.made, dir)
	}
	err := os.Mkdir(s.secrets, 0o700)
	if err == nil {
		s.made = append(s.made, s.secrets)
		if !c.Add {
			if err = create(c.File, nil); err == nil {
				s.made = append(s.made, c.File)
			}
		}
	}
	if err != nil {
		s.giveBack()
		return nil, fmt.Errorf("making a place for the App's secrets: %w", err)
	}
	return s, nil
}

// giveBack removes what was made, unless all of it was written.
func (s *spot) giveBack() {
	for i := len(s.made) - 1; i >= 0; i-- {
		if s.made[i] == s.secrets {
			_ = os.RemoveAll(s.secrets) // made by us a moment ago, and nobody else's
		} else {
			_ = os.Remove(s.made[i])
		}
	}
}

// spent: GitHub has made the App, and nothing of its code can be had again.
type spent struct{ error }

// write stores what GitHub shows once. Key and secret stay where they are written, also
// if the operator's file cannot be.
func (s *spot) write(app forge.Made) error {
	if err := errors.Join(create(s.key(), app.PrivateKey), create(s.secret(), []byte(app.WebhookSecret+"\n"))); err != nil {
		return spent{fmt.Errorf("GitHub has made the App %s, and its key could not be kept: %w; delete the App at %s and run the command again", app.Slug, err, app.Settings)}
	}
	var before []byte
	var err error
	if s.c.Add {
		before, err = os.ReadFile(s.c.File)
	}
	text := s.c.compose(app, string(before))
	if err == nil {
		_, err = settings.Parse(s.c.File, []byte(text))
	}
	if err == nil {
		err = replace(s.c.File, []byte(text))
	}
	if s.made = nil; err != nil {
		if !s.c.Add {
			_ = os.Remove(s.c.File) // empty, and ours
		}
		return spent{fmt.Errorf("GitHub has made the App %s, and its key and secret are kept in %s, but %s could not be written: %w; stop the command, and write this into it:\n%s", app.Slug, s.secrets, s.c.File, err, s.c.named(app))}
	}
	return nil
}

// create writes a new file that only its owner can read, and has it on disk.
func create(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// replace puts a whole file in the place of one of ours, or of one that is added to.
func replace(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*") // its owner alone can read it
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

var installations = regexp.MustCompile(`(?m)^installations:`)

// compose is the operator's file: what stood there, and the App.
func (c Config) compose(app forge.Made, before string) string {
	var b strings.Builder
	day := c.Now().UTC().Format("2006-01-02")
	if before == "" {
		fmt.Fprintf(&b, "# The operator's file of fettle, made by 'fettle init --github' on %s.\n# 'fettle doctor --config FILE' says whether all that it names works.\n", day)
	} else {
		b.WriteString(strings.TrimRight(before, "\n") + "\n")
		fmt.Fprintf(&b, "\n# Added by 'fettle init --github' on %s.\n", day)
	}
	b.WriteString("\n" + c.named(app))
	if !installations.MatchString(before) && app.Owner != "" {
		fmt.Fprintf(&b, "\n# Whom fettle works for, at your cost. Without this: for whoever installs the App.\ninstallations:\n  allow: [%q]\n", app.Owner)
	}
	if before != "" {
		return b.String()
	}
	// A GitHub on this machine is one to try things on: what comes of it stays beside the file.
	if u, err := url.Parse(c.Place.Server); err == nil && c.Place.Server != "" && reach(u.Hostname()) == loopback {
		b.WriteString("\nstate_dir: state # database, clones and caches, beside this file\n")
	} else {
		b.WriteString("\n# Database, clones and caches; ~/.local/state/fettle without this.\n# state_dir: /var/lib/fettle\n")
	}
	b.WriteString(`
# No model is needed: mechanical repair is free, and comes first. Models are asked after
# it, the cheapest first, within the budget. A key never stands in this file.
# tiers:
#   tier1: {preset: deepseek, api_key_env: DEEPSEEK_API_KEY}
#   tier2: {preset: openai, api_key_env: OPENAI_API_KEY}
#   tier3: {preset: anthropic, api_key_env: ANTHROPIC_API_KEY}
# budget:
#   usd: 1.00 # of one run
`)
	return b.String()
}

// named is the part of the operator's file that names the App.
func (c Config) named(app forge.Made) string {
	var b strings.Builder
	fmt.Fprintf(&b, `github:
  app_id: %d # %s; its settings: %s
  private_key_file: %s/private-key.pem # a new one is made on the page of its settings
  webhook_secret_file: %s/webhook-secret # one secret a line; two may be valid at once
`, app.ID, app.Slug, app.Settings, folder, folder)
	if c.Place.Server != "" {
		fmt.Fprintf(&b, "  base_url: %s\n", c.Place.Server)
	}
	if c.CAFile != "" {
		fmt.Fprintf(&b, "  ca_file: %q\n", c.CAFile)
	}
	return b.String()
}
