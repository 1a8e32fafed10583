package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// What toolchains are shown with holds no password of the machine's.
func TestPHPIsToldOfItsExtensionsAndOfNoOtherSetting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "php.ini"), filepath.Join(dir, "agent.ini"), filepath.Join(dir, "gone.ini")}
	for i, text := range []string{"; extension=commented\nmysqli.default_pw = s3cret\nzend_extension=opcache.so\n", "extension = agent.so\r\nagent.license = \"s3cret\"\n"} {
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := extensionsIn(files), "zend_extension=opcache.so\nextension = agent.so\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCratesOfPrivateRegistriesAreNotShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"cache/index.crates.io-6f17d22bba15001f", "index/index.crates.io-6f17d22bba15001f", "cache/crates.example.org-1", "index/crates.example.org-1"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got := publicCrates(dir)
	if len(got) != 2 || got[0].Inside != "/cargo/registry/cache/index.crates.io-6f17d22bba15001f" || got[1].Host != filepath.Join(dir, "index/index.crates.io-6f17d22bba15001f") {
		t.Errorf("%+v", got)
	}
}
