package triage

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// notices is how licences and their notices are called, and how they read.
var notices = rx("©|\\(c\\)|\\bcopyright|\\blicen[cs]e (headers?|texts?|notices?|comments?)|\\blegal (preamble|header|text|notice|block|boilerplate|stuff|comment)|\\blegalese\\b|\\bnotice (and|file)\\b|\\bredistribution and use\\b|provided .?as is|permission is hereby|software is provided|all rights reserved|spdx")

// harms are what a change would do that somebody proposes, whatever its words
// and its reasons: a verb, its object, and the direction or the condition.
var harms = []struct {
	class           string
	does, what, how *lazyregexp.Regexp
}{
	{security, // a protection that whoever calls can switch off
		rx("\\b(optional|opt-?(in|out)|skip(ped)?|bypass(ed)?|exempt(ed)?|return early|return (true|nil|ok)|(is|are|be|get|gets)( not|n't) (called|run|checked|verified|validated|required|needed|enforced|asked)|not (call|check|verify|validate|require|ask)|needs? no|no \\w+ (is )?(needed|required)|off by default|configurable|leave out|turn(ed)? .{0,40}\\boff|switch(ed)? .{0,30}\\boff|disabled?|let .{0,25}\\b(in|through|pass)|(password|name|token|e-?mail) alone)\\b"),
		rx("\\b(auth|authn|authz|authenti\\w+|authori[sz]\\w+|log ?in|signatures?|verif\\w+|validat\\w+|csrf|2fa|mfa|second factor|otp|captcha|permissions?|access checks?|same-?site|http-?only|jwt|hmac|certificates?|tls|ssl|rate.?limit\\w*|sandbox|checksums?|sessions? (is )?(needed|required)|virus scan|signing|(token|signature|permission|role|origin) checks?)\\b"),
		rx("\\?\\w+=|\\b(default|header|flag|query|param(eter)?s?|env|environment|variable|app_env|user.?agent|cookie|ip|address(es)?|localhost|internal|own (machines|services|network)|staging|office|service (accounts?|users?)|(user ?)?names?)\\b|\\bx-\\w+")},
	{security, // a way in that everybody knows
		rx("\\b(create|seed(ed)?|add|ship|preset|preconfigured?|use|have|set|provision|insert|introduce|default|fixed|shared)\\b"),
		rx("\\b(accounts?|users?|logins?|passwords?|tokens?|api keys?|credentials?)\\b"),
		rx("\\b(default|fixed|same|shared|static|well-known|hard-?coded|universal) ((admin|root|support|api|access|user|service|login) )?(accounts?|logins?|passwords?|tokens?|api keys?|credentials?)\\b|\\b(user|admin|account)\\b.{0,40}\\b(password|token|pw)s? \\w*\\d*\\w+ (on|at|for|if|in) |\\b(password|token|secret) \\S*\\d\\S*|\\b(admin|root)\\w* / \\w+|\\b(login|user|account|credentials) \\w+/\\w+")},
	{legal, // the notices that a licence asks for
		rx("\\b(strip|shorten|shorter|trim|collapse|drop(ped)?|removed?|reduce|replace|cut|tidy|compact|condense|squash|delete|omit|minify)\\b"),
		notices,
		rx("")},
	{spies, // what is not theirs goes to somebody else
		rx("\\b(send|post|mail|e-?mail|upload(ed)?|forward|report|push|ship|submit|stream|bcc|transmit|deliver|publish|attach)\\b"),
		rx("\\b(config\\w*|settings|env|environment|dsn|passwords?|tokens?|secrets?|credentials|trace\\w*|stack ?traces?|log lines|logs|crash\\w*|(core |memory )?dumps?|exceptions?|locals|search terms|user data|customer data|e-?mails?|host ?names?|keys)\\b"),
		rx("\\w+://|\\S+@\\S+\\.\\w+|\\b(our|my|the) (slack|discord|telegram|teams)\\b|\\bpartner\\b")},
	{pipeline, // checks that cannot fail
		rx("\\b(never fails?|not fail|gets? green|is green|ignore failures)\\b"),
		rx("(\\btest_\\w+|\\b(tests?|suite|build|ci|audit|lint\\w*|pytest)\\b)"),
		rx("\\b(so (that )?|make it|to)")},
}

// modal is how a proposal sounds that is no imperative.
var modal = rx("\\b(can|could|would|may|might|should|must|let|let's|'d like|great|good|cool|nice|help|want|please|therefore)\\b")

// proposes tells a sentence that may say what is to be done from one that says
// what is.
func (is issue) proposes(s sentence) bool {
	return len(requests(s)) > 0 || modal.MatchString(s.text) || !states(s.words) && !fault.MatchString(s.text)
}

// harm is the class of what a sentence proposes, or "". In an issue that
// reports a fault only what is pressed for is a proposal.
func (is issue) harm(s sentence, reports bool) string {
	text := strings.ReplaceAll(s.text, "`", "")
	if s.steps || !is.proposes(s) || s.asks && usage(s.words) || reports && !pressed.MatchString(text) || upholds.MatchString(text) || stricter.MatchString(text) {
		return ""
	}
	near := strings.ToLower(strings.ReplaceAll(s.before, "`", "")) + text
	for _, h := range harms {
		// A licence's words stand anywhere in the issue.
		if h.does.MatchString(text) && (h.class == legal && is.notices || h.what.MatchString(near)) && h.how.MatchString(near+" "+s.raw) {
			return h.class
		}
	}
	return ""
}
