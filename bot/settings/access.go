package settings

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Access is who may ask for work, beside the people who may write to a
// repository.
type Access struct {
	Bots            []string // logins of bots that may trigger, lower case, with [bot]; nil: none
	Installations   []string // logins of accounts, lower case, or ids; nil: every installation
	CommandsPerHour int      // of one user
}

// DefaultCommandsPerHour is more than a person types.
const DefaultCommandsPerHour = 30

// Bot tells whether a bot may trigger.
func (a Access) Bot(login string) bool { return slices.Contains(a.Bots, botLogin(login)) }

// Installation tells whether work is done for an installation on this account
// (a user's or organisation's login; "" where it is not known).
func (a Access) Installation(id int64, account string) bool {
	return a.Installations == nil || slices.Contains(a.Installations, strconv.FormatInt(id, 10)) ||
		account != "" && slices.Contains(a.Installations, strings.ToLower(account))
}

func botLogin(login string) string {
	return strings.TrimSuffix(strings.ToLower(login), "[bot]") + "[bot]"
}

var loginShape = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$`)

func loginName(s string) error {
	if !loginShape.MatchString(s) {
		return errors.New("must be a login as GitHub shows it, such as acme or \"renovate[bot]\"")
	}
	return nil
}

// readAccess reads bots, installations and commands_per_hour.
func (s *Settings) readAccess(root value) error {
	allowed := func(v value) ([]string, error) {
		out := []string{} // a list without entries allows nobody
		if err := v.only(nil, "allow"); err != nil {
			return nil, err
		}
		return out, set(v, "allow", &out, func(v value) ([]string, error) {
			list, err := v.strings(loginName)
			return append([]string{}, list...), err
		})
	}
	err := first(
		set(root, "bots", &s.Access.Bots, allowed),
		set(root, "installations", &s.Access.Installations, allowed),
		set(root, "commands_per_hour", &s.Access.CommandsPerHour, whole(1, 10_000)),
	)
	for i, b := range s.Access.Bots {
		s.Access.Bots[i] = botLogin(b)
	}
	for i, a := range s.Access.Installations {
		s.Access.Installations[i] = strings.ToLower(a)
	}
	return err
}

// runInURL stands in Log.URL for a run's id.
const runInURL = "{run}"

// logURL is where the log of a run can be read, with {run} in place of its id.
func logURL(v value) (string, error) {
	s, err := v.string()
	if err != nil {
		return "", err
	}
	u, err := url.Parse(strings.ReplaceAll(s, runInURL, "run"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || !strings.Contains(s, runInURL) {
		return "", v.errorf("must be a URL that holds %s where the run's id belongs, such as https://logs.example.org/?run=%s", runInURL, runInURL)
	}
	return s, nil
}

// Link is where the log of a run can be read, or "".
func (l Log) Link(run string) string {
	return strings.ReplaceAll(l.URL, runInURL, url.QueryEscape(run))
}
