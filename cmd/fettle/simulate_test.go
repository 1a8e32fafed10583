package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/settings"
)

func TestO1TheSimulatorWritesAConfigurationThatServeTakes(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "3.14.0"} {
		dir := t.TempDir()
		s, err := simulator.New(simulator.Config{Root: dir, Enterprise: version, WebhookSecret: "s3cret"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		f := &simulateFlags{state: dir, enterprise: version}
		key, config, err := f.configure(s)
		if err != nil {
			t.Fatal(err)
		}
		set, err := settings.Load(config)
		if err != nil {
			t.Fatal(err)
		}
		secrets, err := settings.Secrets(set.GitHub.WebhookSecretFile)
		if err != nil || len(secrets) != 1 || string(secrets[0]) != "s3cret" {
			t.Errorf("%q %v", secrets, err)
		}
		if g := set.GitHub; g.BaseURL != s.URL() || g.AppID != s.AppID() || g.PrivateKeyFile != key || set.StateDir != filepath.Join(dir, "serve") {
			t.Errorf("%+v", set)
		}
		if version != "" {
			if _, err := os.Stat(set.GitHub.CAFile); err != nil {
				t.Error(err)
			}
		}
		for _, secret := range []string{key, config, set.GitHub.WebhookSecretFile} {
			if info, err := os.Stat(secret); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s can be read by others: %v", secret, err)
			}
		}
	}
}
