package record

import (
	"reflect"
	"testing"
)

func TestEmail(t *testing.T) {
	for text, want := range map[string]string{
		" Ada@Example.com ":    "ada@example.com",
		"ada+news@example.com": "ada@example.com",
		"ada":                  "",
		"@example.com":         "",
		"":                     "",
	} {
		if got := Email(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestPhone(t *testing.T) {
	for text, want := range map[string]string{
		"+44 20 7946-0000": "00442079460000",
		"0044 2079460000":  "00442079460000",
		"(020) 7946 0000":  "02079460000",
		"n/a":              "",
		"12345":            "",
	} {
		if got := Phone(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestKeys(t *testing.T) {
	got := Customer{Email: "a@b.c", Phone: "020 7946 0000"}.Keys()
	if !reflect.DeepEqual(got, []string{"email:a@b.c", "phone:02079460000"}) {
		t.Errorf("got %v", got)
	}
	if got := (Customer{Name: "Ada"}).Keys(); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
