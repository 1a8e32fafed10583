package manifest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge"
)

// GitHub shows the key once: it is kept where only the operator's file cannot be written,
// and what to write there is said.
func TestO6TheKeyIsKeptWhereTheOperatorsFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	c := Config{File: filepath.Join(t.TempDir(), "conf", "fettle.yml"), Now: time.Now}
	place, err := c.reserve()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(c.File), os.MkdirAll(filepath.Join(c.File, "x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	err = place.write(forge.Made{ID: 7, Slug: "mine", PrivateKey: []byte("key\n"), WebhookSecret: "secret", Settings: "https://github.com/settings/apps/mine"})
	place.giveBack()
	if !errors.As(err, &spent{}) || !strings.Contains(err.Error(), "app_id: 7") || strings.Contains(err.Error(), "delete the App") {
		t.Errorf("it says %v", err)
	}
	if key, err := os.ReadFile(place.key()); string(key) != "key\n" {
		t.Errorf("the key: %q %v", key, err)
	}
	if secret, err := os.ReadFile(place.secret()); string(secret) != "secret\n" {
		t.Errorf("the secret: %q %v", secret, err)
	}
	left, err := os.ReadDir(filepath.Dir(c.File))
	if err != nil || len(left) != 2 {
		t.Errorf("beside them: %v %v", left, err)
	}
}

func TestO6AFileOfAnEarlierCrashIsInNobodysWay(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "fettle.yml")
	if err := errors.Join(os.WriteFile(name+".new", []byte("x"), 0o600), replace(name, []byte("a: 1\n"))); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}
