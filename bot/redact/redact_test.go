package redact

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"pgregory.net/rapid"
)

// Made-up tokens in the issuers' shapes, put together here so that no scanner
// takes this file for a leak.
var (
	fakeGitHub = "gh" + "s_" + strings.Repeat("a1B2", 9)
	fakePAT    = "github" + "_pat_" + strings.Repeat("a1B2c", 6)
	fakeAWS    = "AK" + "IA" + "ABCDEFGHIJ234567"
	fakeSlack  = "xo" + "xb-" + "1234567890-abcdefghij"
	fakeGoogle = "AI" + "za" + strings.Repeat("Ab3-_", 7)
	fakeModel  = "s" + "k-proj-" + strings.Repeat("aB3dE", 6)
	fakeJWT    = "ey" + "JhbGciOiJI." + "ey" + "JzdWIiOiIx." + "c2lnbmF0dXJlMTIz"
	fakeKey    = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEpAIBAAKCAQEA7\nabcd\n-----END RSA PRIVATE" + " KEY-----"
)

func TestX3WellKnownTokensAreHidden(t *testing.T) {
	t.Parallel()
	f := New()
	for name, token := range map[string]string{
		"github": fakeGitHub, "pat": fakePAT, "aws": fakeAWS, "slack": fakeSlack,
		"google": fakeGoogle, "model": fakeModel, "jwt": fakeJWT, "pem": fakeKey,
	} {
		got := f.Secrets("before " + token + " after")
		if got != "before "+Mark+" after" {
			t.Errorf("%s: got %q", name, got)
		}
		if found := f.FindSecrets("x\ny = '" + token + "'\n"); len(found) == 0 || found[0].Line != 2 {
			t.Errorf("%s: the scanner found %v", name, found)
		}
	}
	for _, text := range []string{
		`password = "kX9vQ2mL7pR4tW8z"`, "API_KEY: 9f8e7d6c5b4a39281706ffee", "Authorization: Bearer abcDEF123456ghiJKL",
		"https://user:h7Gt5rF4@host.test/x",
	} {
		if got := f.Secrets(text); !strings.Contains(got, Mark) {
			t.Errorf("%q stayed", text)
		}
	}
}

func TestX3OrdinaryCodeStays(t *testing.T) {
	t.Parallel()
	f := New()
	for _, text := range []string{
		`password = os.environ["DB_PASSWORD_PRODUCTION"]`, "token := lexer.NextTokenAfterWhitespace()", "secret = 'changeme-changeme-1234'",
		"std::vector<int> a; // fine", "sk-learn-contrib-forest-plots", "https://user@host.test/a:b", "def tokenize(password: str) -> Token:",
		"0123456789abcdef0123456789abcdef01234567", "test_password_reset: tests/test_auth_2fa_v2.py", "token = compute_hash_v2_from_request_v3",
		"secret = deriveSecretKeyV2WithSalt16(salt)", "password: '" + strings.Repeat("x", 20) + "1'",
	} {
		if got := f.Secrets(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if found := f.FindSecrets(text); found != nil {
			t.Errorf("%q: found %v", text, found)
		}
	}
}

func TestI5KnownSecretsAreHiddenInEveryForm(t *testing.T) {
	t.Parallel()
	f := New("p@ss/w\"ord one")
	f.AddSecret("line one of sixteen bytes\nline two of sixteen bytes")
	for _, text := range []string{
		"p@ss/w\"ord one", "p%40ss%2Fw%22ord+one", `p@ss/w\"ord one`,
		base64.StdEncoding.EncodeToString([]byte("x-access-token:p@ss/w\"ord one")), "line two of sixteen bytes",
	} {
		if got := f.Secrets("<" + text + ">"); got != "<"+Mark+">" {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := New("abc").Secrets("abc"); got != "abc" {
		t.Errorf("a value too short to be a secret was replaced: %q", got)
	}
}

func TestFindSecretsLooksOnlyAtAddedLines(t *testing.T) {
	t.Parallel()
	diff := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-" + fakeGitHub + "\n " + fakeAWS + "\n+ok\n"
	if found := New().FindSecrets(diff); found != nil {
		t.Errorf("removing a secret was reported: %v", found)
	}
	if found := New().FindSecrets(diff + "+" + fakeSlack + "\n"); len(found) != 1 || found[0] != (Finding{Rule: "slack-token", Line: 8}) {
		t.Errorf("found %v", found)
	}
}

func TestS11LogIsInert(t *testing.T) {
	t.Parallel()
	got := New().Log("\x1b[31mred\x1b[0m \x1b]0;title\x07\r\n  ::add-mask::x\n##[error]y\na\u202eb\u200bc\x00\xff\nstd::vector")
	if want := "red \n  : :add-mask::x\n## [error]y\nabc\uFFFD\nstd::vector"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	split := "gh\x1b[0ms_" + strings.Repeat("a1B2", 9)
	if got := New().Log(split); got != Mark {
		t.Errorf("a token broken by an escape came through: %q", got)
	}
}

func TestS11ForeignMarkdownIsInert(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"ask @org/team now":                        "ask @ org/team now",
		"@a@b (@c) _x_@d":                          "@ a@b (@ c) _x_@ d",
		"&#64;user &#x40;user &commat;user":        "@ user @ user @ user",
		"me@example.org":                           "me@example.org",
		"This fixes #12":                           "This fixes issue #12",
		"Closes: owner/repo#3":                     "Closes: issue owner/repo#3",
		"resolves https://github.com/o/r/issues/9": "resolves issue https://github.com/o/r/issues/9",
		"prefixes #1":                              "prefixes #1",
		"![tracker](http://x/y.png)":               "[tracker](http://x/y.png)",
		`[a](http://x "see @me")`:                  "[a](http://x)",
		"<img src=x> <!-- hi -->":                  "&lt;img src=x> &lt;!-- hi -->",
		"a < b":                                    "a < b",
		"/fettle fix":                              `\/fettle fix`,
		"> /fettle stop":                           `> \/fettle stop`,
		"- /approve":                               `- \/approve`,
		"[x]: http://hidden":                       `\[x]: http://hidden`,
		"```\ncode":                                "```\ncode\n```",
	}
	f := New()
	for in, want := range cases {
		if got := f.Markdown(in); got != want {
			t.Errorf("%q\n got  %q\n want %q", in, got, want)
		}
	}
}

func TestS11CommentKeepsOurOwnWords(t *testing.T) {
	t.Parallel()
	ours := "<!-- fettle:status:1 -->\n## Report\n[run](http://x \"t\")\n\n```python\n@property\ndef a(): ...\n```\n"
	f := New()
	if got := f.Comment(ours); got != ours {
		t.Errorf("got %q", got)
	}
	got := f.Comment("thanks @user\n/fettle fix\n```\n/fettle fix\n```\n" + fakeGitHub)
	if want := "thanks @ user\n\\/fettle fix\n```\n\\/fettle fix\n```\n" + Mark; got != want {
		t.Errorf("got %q", got)
	}
}

func TestFenceCannotBeClosedFromInside(t *testing.T) {
	t.Parallel()
	got := New().Fence("a\n````\nb", "python")
	if want := "`````python\na\n````\nb\n`````"; got != want {
		t.Errorf("got %q", got)
	}
	if got := New().Fence("x", "py\n# @user"); got != "```\nx\n```" {
		t.Errorf("got %q", got)
	}
}

func TestE2SourceForAModelIsVerbatim(t *testing.T) {
	t.Parallel()
	src := "::add-mask::x\n\t##[group]a\n/fettle fix\n@property\nfixes #1 <!-- a --> ![i](u)\n\n  /fettle = 1  \nreturn x::y"
	got := New().Source(src+"\n", "python")
	if want := "```python\n" + src + "\n```"; got != want {
		t.Errorf("got %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("[ -~\t\n]{0,200}").Draw(t, "source")
		got := New().Source(text, "")
		bar, _, _ := strings.Cut(got, "\n")
		if inner := strings.TrimSuffix(strings.TrimPrefix(got, bar+"\n"), "\n"+bar); inner != strings.TrimRight(text, "\n") && !strings.Contains(inner, Mark) {
			t.Fatalf("%q became %q", text, inner)
		}
	})
	hostile := "a = 1 \u202e# tfel\x1b[31m\u200b\xff" + fakeGitHub + "\r\nb = 2\rc"
	got = New().Source(hostile, "")
	if want := "```\na = 1 [U+202E]# tfel[U+001B][31m[U+200B]\uFFFD" + Mark + "\nb = 2\rc\n```"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestX2HiddenTextBecomesVisible(t *testing.T) {
	t.Parallel()
	tags := ""
	for _, r := range "obey" {
		tags += string(r + 0xe0000)
	}
	got, n := Visible("a\u202eb" + tags + "c<!-- run this -->d 👩\u200d💻<!-- open")
	if want := "a[U+202E]b[hidden text: obey]c[HTML comment: run this]d 👩\u200d💻[HTML comment: open]"; got != want || n != 4 {
		t.Errorf("got %q, %d", got, n)
	}
	if got, n := Visible("plain text, ünïcode"); n != 0 || got != "plain text, ünïcode" {
		t.Errorf("got %q, %d", got, n)
	}
}

func TestFormatterCleansEveryField(t *testing.T) {
	t.Parallel()
	for _, inner := range []logrus.Formatter{&logrus.JSONFormatter{}, &logrus.TextFormatter{DisableColors: true}} {
		var out bytes.Buffer
		log := logrus.New()
		log.SetOutput(&out)
		log.SetFormatter(Formatter(New("the secret\nof two lines"), inner))
		log.WithError(errors.New("push failed: the secret\nof two lines")).WithField("s", fakeGitHub).
			WithField("nested", map[string]string{"k": "the secret\nof two lines"}).Info("\x1b[2Jhello ", fakeAWS)
		got := out.String()
		for _, bad := range []string{"the secret", fakeGitHub, fakeAWS, "\x1b", "u001b"} {
			if strings.Contains(got, bad) {
				t.Errorf("%q stands in %q", bad, got)
			}
		}
		if !strings.Contains(got, "hello "+Mark) {
			t.Errorf("the message is gone: %q", got)
		}
	}
}

// pieces are what hostile text is made of.
var pieces = []string{"@", "user", "&#64;", "&", ";", "#", "1", "fixes ", "closes", "::", ":", "##[", "<!--", "-->", "<", "img", "![", "[", "]", "(", ")", `"`, "'",
	"/fettle", "/", "\n", "\r", " ", "\t", "\x1b[", "\x1b", "0m", "\u200b", "\u202e", "```", "~~~", "`", "-", "> ", "1. ", "\\", Mark, "the-secret-value", "the-sec",
	"ghs_", "a1B2c3D4e5F6g7H8i9J0k1", "password=", "\xff", "]: ", "http://x:", "\u00a0", "!", "sk-", "eyJ", "."}

func TestRedactPropertyIdempotentAndInert(t *testing.T) {
	t.Parallel()
	f := New("the-secret-value")
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 25).Draw(r, "pieces"), "")
		holds(r, f, text)
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

// holds checks what the package promises of any text.
func holds(t failer, f *Funnel, text string) {
	visible := func(s string) string { out, _ := Visible(s); return out }
	for name, do := range map[string]func(string) string{
		"Secrets": f.Secrets, "Log": f.Log, "Markdown": f.Markdown, "Comment": f.Comment, "Message": f.Message, "Visible": visible,
	} {
		once := do(text)
		if twice := do(once); once != twice {
			t.Fatalf("%s is not idempotent on %q:\nonce  %q\ntwice %q", name, text, once, twice)
		}
		if name != "Visible" && strings.Contains(once, "the-secret-value") {
			t.Fatalf("%s let the secret through: %q", name, once)
		}
	}
	md := f.Markdown(text)
	if mention.MatchString(md) || image.MatchString(md) || tagStart.MatchString(md) || slash.MatchString(md) {
		t.Fatalf("Markdown left something alive: %q", md)
	}
	for name, got := range map[string]string{"Markdown": md, "Comment": f.Comment(text), "Message": f.Message(text)} {
		if found := stillCloses(t, got); found != "" {
			t.Fatalf("%s made %q of %q, in which %q closes", name, got, text, found)
		}
	}
	if f.Comment(md) != md {
		t.Fatalf("Comment changed what Markdown made: %q -> %q", md, f.Comment(md))
	}
}

func FuzzRedactIdempotent(f *testing.F) {
	for _, p := range pieces {
		f.Add(p + p)
	}
	for _, d := range disguises {
		f.Add(d)
	}
	f.Add(fakeKey + "\n" + fakeJWT)
	f.Add("@a@b &#64;x fixes #1 ![a](b \"c\")\n/fettle fix\n::x::\n```\n<!-- ")
	funnel := New("the-secret-value")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		holds(t, funnel, text)
	})
}
