package text

import (
	"strings"
	"testing"
)

// model breaks greedily, measuring whole candidate lines.
func model(s string, width int, indent string) []string {
	var lines []string
	for _, word := range strings.Fields(s) {
		if n := len(lines); n > 0 && Width(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, indent+word)
	}
	return lines
}

func TestHeldAgainstModel(t *testing.T) {
	texts := []string{
		"süße Äpfel für größere Öfen in Übersee",
		"crème brûlée à la française déjà vu où",
		"日本 語の 文章 を 折り返す abc 한국 어",
		"e\u0301te\u0301 a\u0300 nai\u0308ve re\u0301sume\u0301 plain words",
		"the quick brown fox jumps over the lazy dog",
		"Привет мир это длинный текст на кириллице",
		"a ä aa ää aaa äää aaaa ääää",
		"größenwahnsinnigerweise x überüberübergroß y",
		"naïve — “quoted” … text ½ € 5",
	}
	for _, s := range texts {
		for width := 1; width <= 40; width++ {
			for _, indent := range []string{"", "  ", "» ", "日 "} {
				want := strings.Join(model(s, width, indent), "|")
				if got := strings.Join(Wrap(s, width, indent), "|"); got != want {
					t.Errorf("%q at %d with %q:\n got %q\nwant %q", s, width, indent, got, want)
					return
				}
			}
		}
	}
}

func TestHeldNoLineTooWide(t *testing.T) {
	for width := 6; width < 30; width++ {
		for _, line := range Wrap("日本 語の 文章 を ab cde äöü ß 한국 어 f", width, "") {
			if Width(line) > width {
				t.Errorf("%d: %q", width, line)
			}
		}
	}
}

func TestHeldWideSigns(t *testing.T) {
	if got := wrapped("日本 日本", 9, ""); got != "日本 日本" {
		t.Errorf("got %q", got)
	}
	if got := wrapped("日本 日本", 8, ""); got != "日本|日本" {
		t.Errorf("got %q", got)
	}
}

func TestHeldCombining(t *testing.T) {
	if got := wrapped("e\u0301e\u0301 e\u0301e\u0301 x", 5, ""); got != "e\u0301e\u0301 e\u0301e\u0301|x" {
		t.Errorf("got %q", got)
	}
}

func TestHeldAccentsInMiddle(t *testing.T) {
	if got := wrapped("ää bb cc dd", 11, ""); got != "ää bb cc dd" {
		t.Errorf("got %q", got)
	}
	if got := wrapped("aa bb cc dd", 10, ""); got != "aa bb cc|dd" {
		t.Errorf("got %q", got)
	}
	if got := wrapped("ää öö üü ßß", 10, ""); got != "ää öö üü|ßß" {
		t.Errorf("got %q", got)
	}
}
