package redact

import (
	"math"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// shape is a kind of token that can be told by its looks.
type shape struct {
	rule  string
	hints []string // one of these stands in every text that can match, in lower case if fold
	fold  bool
	find  *lazyregexp.Regexp
	group int                      // the submatch that is the secret; 0 for the whole match
	sure  func(secret string) bool // nil: always
}

// The published shapes of the issuers' tokens. Sources: GitHub "token
// formats", AWS IAM "unique identifiers", Slack "token types", RFC 7519 (JWT),
// RFC 7468 (PEM).
var shapes = []shape{
	{rule: "private-key", hints: []string{"PRIVATE KEY"},
		find: lazyregexp.New(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-[^-])*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)`)},
	{rule: "github-token", hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"},
		find: lazyregexp.New(`\bgh[pousr]_[A-Za-z0-9_]{20,255}`)},
	{rule: "github-pat", hints: []string{"github_pat_"},
		find: lazyregexp.New(`\bgithub_pat_[A-Za-z0-9_]{22,255}`)},
	{rule: "gitlab-token", hints: []string{"glpat-"}, find: lazyregexp.New(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{rule: "aws-access-key", hints: []string{"AKIA", "ASIA"},
		find: lazyregexp.New(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{rule: "slack-token", hints: []string{"xox", "xapp-"},
		find: lazyregexp.New(`\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}`)},
	{rule: "slack-webhook", hints: []string{"hooks.slack.com"},
		find: lazyregexp.New(`hooks\.slack\.com/services/[A-Za-z0-9_/]{20,}`)},
	{rule: "google-api-key", hints: []string{"AIza"}, find: lazyregexp.New(`\bAIza[A-Za-z0-9_-]{35}`)},
	{rule: "google-oauth", hints: []string{"ya29."}, find: lazyregexp.New(`\bya29\.[A-Za-z0-9_-]{20,}`)},
	{rule: "model-api-key", hints: []string{"sk-"}, find: lazyregexp.New(`\bsk-[A-Za-z0-9_-]{20,}`), sure: mixed},
	{rule: "stripe-key", hints: []string{"k_live_"}, find: lazyregexp.New(`\b[rs]k_live_[A-Za-z0-9]{16,}`)},
	{rule: "npm-token", hints: []string{"npm_"}, find: lazyregexp.New(`\bnpm_[A-Za-z0-9]{36}`)},
	{rule: "pypi-token", hints: []string{"pypi-AgE"}, find: lazyregexp.New(`\bpypi-AgE[A-Za-z0-9_-]{50,}`)},
	{rule: "jwt", hints: []string{"eyJ"},
		find: lazyregexp.New(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
	{rule: urlPassword, hints: []string{"://"},
		find: lazyregexp.New(`[a-z][a-z0-9+.-]{1,20}://[^\s/:@"'<>\[\]]{0,64}:([^\s/:@"'<>\[\]]{3,128})@`), group: 1, sure: notPlaceholder},
	{rule: "authorization-header", hints: []string{"authorization"}, fold: true,
		find: lazyregexp.New(`(?i)authorization["']?\s*[:=]\s*["']?(?:basic|bearer|token)\s+([A-Za-z0-9+/=._~-]{12,})`), group: 1},
	{rule: "assigned-secret", hints: []string{"pass", "secret", "token", "api_key", "apikey", "api-key", "credential", "private_key"}, fold: true,
		find:  lazyregexp.New(`(?i)(?:password|passwd|secret|token|api[_-]?key|credentials?|private_key|access_key)[a-z0-9_-]{0,20}["']?\s{0,4}(?::=|=>|[:=])\s{0,4}["']?([A-Za-z0-9+/=_.~!@#$%^&*-]{16,200})`),
		group: 1, sure: random},
}

// hide replaces what the shape finds in the text.
func (s *shape) hide(text string) string {
	if !s.hinted(text) {
		return text
	}
	var out strings.Builder
	last := 0
	for _, m := range s.find.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2*s.group], m[2*s.group+1]
		if from < 0 || (s.sure != nil && !s.sure(text[from:to])) ||
			(s.group > 0 && to < len(text) && text[to] == '(') { // a call, not a value
			continue
		}
		out.WriteString(text[last:from])
		out.WriteString(Mark)
		last = to
	}
	out.WriteString(text[last:])
	return out.String()
}

func (s *shape) hinted(text string) bool {
	if s.fold {
		text = strings.ToLower(text)
	}
	for _, h := range s.hints {
		if strings.Contains(text, h) {
			return true
		}
	}
	return false
}

// Finding is a secret that a text seems to hold. It does not hold the secret.
type Finding struct {
	Rule string `json:"rule"`
	Line int    `json:"line"` // 1-based, in the text that was scanned
	Word bool   // a password in an address that is but a short word
}

// FindSecrets scans a text, or of a unified git diff only the added lines,
// for known values and well-known shapes.
func (f *Funnel) FindSecrets(text string) []Finding {
	diff := strings.HasPrefix(text, "diff --git ")
	var out []Finding
	for i, line := range strings.Split(text, "\n") {
		if diff {
			if !strings.HasPrefix(line, "+") || strings.HasPrefix(line, "+++ ") {
				continue
			}
			line = line[1:]
		}
		if rule := f.firstRule(line); rule != "" {
			out = append(out, Finding{Rule: rule, Line: i + 1, Word: rule == urlPassword && wordly(line)})
		}
	}
	return out
}

func (f *Funnel) firstRule(line string) string {
	if f != nil {
		f.mu.RLock()
		values := f.values
		f.mu.RUnlock()
		if values != nil && values.Replace(line) != line {
			return "known-secret"
		}
	}
	for i := range shapes {
		if shapes[i].hide(line) != line {
			return shapes[i].rule
		}
	}
	return ""
}

const urlPassword = "url-password"

// wordly tells whether the passwords in a line's addresses are but short words, as
// examples have them.
func wordly(line string) bool {
	for _, m := range addressed.FindAllStringSubmatch(line, -1) {
		if len(m[1]) > 12 || random(m[1]) {
			return false
		}
	}
	return true
}

var addressed = lazyregexp.New(`://[^\s/:@"'<>]*:([^\s@"'<>]+)@`)

// mixed tells a key from a slug such as sk-learn-something-something.
func mixed(s string) bool { return strings.ContainsAny(s, "0123456789") && strings.ToLower(s) != s }

// notPlaceholder tells a password from what documentation writes.
func notPlaceholder(s string) bool {
	lower := strings.ToLower(s)
	for _, p := range []string{"example", "placeholder", "changeme", "password", "your", "xxxx", "****", "${", "$(", "%s", "secret"} {
		if strings.Contains(lower, p) {
			return false
		}
	}
	return true
}

// random tells a secret from a word, a path or an identifier: letters and at
// least two digits, no placeholder, an unbroken run of twelve, and at least
// 3.5 bits of entropy a byte.
func random(s string) bool {
	digits, run, longest, letters := 0, 0, 0, false
	for i := range len(s) {
		c := s[i] | 0x20
		switch {
		case s[i] >= '0' && s[i] <= '9':
			digits++
		case c >= 'a' && c <= 'z':
			letters = true
		case strings.IndexByte("/._-~", s[i]) >= 0:
			run = -1
		}
		run++
		longest = max(longest, run)
	}
	return letters && digits >= 2 && longest >= 12 && notPlaceholder(s) && entropy(s) >= 3.5
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	h := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
