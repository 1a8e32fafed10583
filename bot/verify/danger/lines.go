package danger

import (
	"net"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/redact"
)

const (
	whyAddress = "it names an address that the repository did not know"
	whyWipe    = "it drops data"
	whyAllRows = "it changes or deletes rows without a condition"
	whyGrant   = "it gives rights on the database"
	whyIndex   = "it fetches dependencies from another place"
	whyLicence = "the words of the licence change"
	whyPiped   = "it runs what it downloads"
	whyRoot    = "it works with more rights than it needs"
	whyHook    = "it runs a command when the package is installed"
	whySecrets = "it reads secrets of the pipeline"
)

// rule is one for a line of text that is no code with a tree.
type rule struct {
	files *lazyregexp.Regexp // names of the files; nil: all
	line  *lazyregexp.Regexp
	kind  Kind
	why   string
}

const (
	shells    = `(?i)\.(?:sh|bash|zsh|ksh|fish|mk|ya?ml|dockerfile|bat|ps1|json)$|(?:^|/)(?:(?:GNU)?Makefile|Dockerfile[^/]*|Jenkinsfile|justfile|Procfile|tox\.ini|\.husky/[^/]*|\.envrc|(?:bin|scripts?|tools|hack|\.ci|ci|hooks|deploy)/[^./]+)$`
	pipelines = `(?i)\.ya?ml$|(?:^|/)Jenkinsfile$`
	packages  = `(?i)(?:^|/)(?:requirements[^/]*\.(?:txt|in)|constraints[^/]*\.txt|pip\.conf|pyproject\.toml|poetry\.toml|uv\.toml|setup\.cfg|Pipfile|package\.json|\.npmrc|\.yarnrc[^/]*|bunfig\.toml|go\.mod|go\.work|Cargo\.toml|Gemfile|composer\.json|\.gitmodules|Dockerfile[^/]*|[^/]*\.dockerfile|[^/]*\.ya?ml|[^/]*\.sh|Makefile|[^/]*\.mk|tox\.ini)$`
	settings  = `(?i)\.(?:ya?ml|json|toml|ini|cfg|conf|env|properties|sh|dockerfile)$|(?:^|/)(?:Dockerfile[^/]*|\.env[^/]*|Makefile)$`
)

func on(files, line string, kind Kind, why string) rule {
	r := rule{nil, lazyregexp.New(line), kind, why}
	if files != "" {
		r.files = lazyregexp.New(files)
	}
	return r
}

var lineRules = []rule{
	on(shells, `\brm\s+(?:-\w+\s+)*(?:-\w*[rR]\w*|--recursive)\b`, Deletion, whyFolder),
	on(shells, `\bfind\b.*\s-delete\b|\bgit\s+clean\s+-\w*f|\brimraf\b|\brmdir\s+/s|Remove-Item\b.*-Recurse|\bmkfs\b|\bdd\s+.*\bof=/dev/`, Deletion, whyFolder),
	on(shells, `\|\|\s*(?:true|:|exit\s+0)(?:\s|$|["';)])|^\s*set\s+\+e\b|^\s*set\s+\+o\s+(?:errexit|pipefail)|--no-verify\b|\bHUSKY=0|\bSKIP=\S`, CheckOff, whySkip),
	on(shells, `(?:^|[;&|"']\s*|\s)exit\s+0(?:\s|$|["';)])`, CheckOff, whySkip),
	on(`(?i)(?:^|/)(?:GNU)?Makefile$|\.mk$`, `^\t@?-\s*\w`, CheckOff, whySkip),
	on(pipelines, `^\s*-?\s*(?:continue-on-error:\s*true|allow_failure:\s*true|ignore_errors:\s*(?:true|yes)|if:\s*(?:\$\{\{\s*)?false\b|when:\s*never)`, CheckOff, whySkip),
	on(`(?i)\.(?:sh|ya?ml|json|toml|ini|cfg|mk)$|Makefile$`, `--(?:passWithNoTests|no-?test|skip-?tests?|maxfail=0|exit-zero|no-fail|ignore=\S|deselect[= ]\S|no-?lint)\b|-DskipTests|\bpytest\b.*\s-k\s+["']?not\b`, CheckOff, whySkip),
	on(`(?i)\.(?:json|toml|ini|cfg|ya?ml)$`, `"(?:strict|noImplicitAny|strictNullChecks)"\s*:\s*false|^\s*"[\w@/-]+"\s*:\s*\[?\s*(?:"off"|0)\s*[\],]|^\s*(?:ignore_errors|ignore_missing_imports)\s*=\s*[Tt]rue|fail_under\s*=|--cov-fail-under`, CheckOff, whyLint),
	on(shells, `\b(?:curl|wget)\b[^|\n]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:ba)?sh\s+(?:-c\s+)?["']?<?\(?\$?\(\s*(?:curl|wget)\b|\beval\s+["']?\$\(?|base64\s+(?:-d|--decode)[^|]*\|\s*(?:ba)?sh|\b(?:python3?|node|perl|ruby)\s+-[ce]\s`, Execution, whyPiped),
	on(shells, `\bn(?:c|cat)\b.*\s-e\b|/dev/tcp/`, Execution, whyProcess),
	on(shells, `(?:^|[;&|]\s*|\brun:\s*|\t)(?:printenv|env|set)\s*(?:$|[|>])|(?:echo|printf|curl|wget)\b.*\$\{?\w*(?:PASSWORD|SECRET|TOKEN|API_?KEY|CREDENTIAL|PRIVATE_KEY)|/proc/(?:self|\d+)/environ`, Secrets, whySecret),
	on(`(?i)\.(?:ya?ml)$`, `\$\{\{\s*(?:secrets\.(?:\w+)|toJSON\(secrets\)|github\.token)|^\s*secrets:\s*inherit`, Secrets, whySecrets),
	on(shells, `(?:^|[\s"'=:~/])(?:\.ssh/|\.aws/|\.netrc\b|\.kube/config|\.docker/config\.json|id_rsa\b|id_ed25519\b)|/etc/shadow\b|169\.254\.169\.254`, Secrets, whyPlace),
	on(pipelines, `^\s*(?:pull_request_target|workflow_run)\s*:|permissions:\s*write-all|^\s*(?:contents|actions|packages|id-token|pull-requests|issues|checks|deployments|statuses):\s*write\b`, Weakened, whyRoot),
	on(settings, `\bprivileged["']?\s*[:=]\s*true|--privileged\b|hostNetwork["']?\s*:\s*true|hostPID["']?\s*:\s*true|allowPrivilegeEscalation["']?\s*:\s*true|runAsUser["']?\s*:\s*0\b|runAsNonRoot["']?\s*:\s*false|readOnlyRootFilesystem["']?\s*:\s*false|/var/run/docker\.sock|cap_add|SYS_ADMIN|^\s*USER\s+(?:root|0)\b|verbs:\s*\[?\s*["']\*|NOPASSWD`, Weakened, whyRoot),
	on("", `\bchmod\s+(?:-\w+\s+)*(?:0?[0-7]?[67]7[67]|a\+rwx|o\+w|[ugo]*\+s|[0-7]*666)\b`, Weakened, whyRights),
	on(shells, `\bcurl\b.*\s(?:-\w*k\w*|--insecure)\b|--no-check-certificate|http\.sslVerify[= ]+false|StrictHostKeyChecking[= ]no|--trusted-host|--allow-unauthenticated|--no-gpg-check|strict-ssl[= ]+false|NODE_TLS_REJECT_UNAUTHORIZED=?:?\s*["']?0|--disable-(?:ssl|tls|auth)\w*|GIT_SSL_NO_VERIFY|GONOSUMDB|GONOSUMCHECK|GOINSECURE|GOFLAGS=-insecure|GOSUMDB=off`, Weakened, whyTLS),
	on(settings, `(?i)^[\s-]*["']?(?:verify(?:_?ssl|_?tls|_?certs?)?|ssl_?verify|tls_?verify|check_?hostname|strict-?ssl|rejectUnauthorized|auth(?:entication)?(?:_?enabled|_?required)?|require_?auth\w*|csrf\w*|signature_?(?:required|check)|httponly|cookie_?secure|sanitize|enable_?(?:auth|tls|ssl|csrf|rate_?limit\w*)|rate_?limit(?:ing)?(?:_?enabled)?)["']?\s*[:=]\s*["']?(?:false|no|off|disabled?|none|0)["']?\s*,?\s*$`, Weakened, whyFlag),
	on(settings, `(?i)^[\s-]*["']?(?:insecure(?:[_-]?skip[_-]?(?:tls[_-]?)?verify)?|skip[_-]?(?:auth|tls|ssl|verif)\w*|disable[_-]?(?:auth|csrf|tls|ssl|security)\w*|allow[_-]?(?:anonymous|all|any)\w*|anonymous[_-]?auth|debug|trust[_-]?all\w*)["']?\s*[:=]\s*["']?(?:true|yes|on|1)["']?\s*,?\s*$`, Weakened, whyFlag),
	on(settings, `(?i)(?:allow(?:ed)?[_-]?origins?|access-control-allow-origin|cors[_-]?\w*|allowed[_-]?hosts|principal)["']?\s*[:=]\s*\[?\s*["']?\*`, Weakened, whyOrigin),
	on(packages, `(?i)(?:--?(?:extra-)?index-url|--find-links|\bindex-url\s*=|\bextra-index-url\s*=|^\s*(?:index-)?url\s*=\s*["']?https?:|"?registry"?\s*[=:]\s*["']?https?:|_auth(?:Token)?\s*=|npm\s+config\s+set\s+registry|GOPROXY[=:])`, Dependency, whyIndex),
	on(packages, `(?:git\+(?:https?|ssh|file)://|git\s*=\s*["']|^\s*[\w.-]+\s*@\s*(?:https?|git|file):|^\s*-e\s+(?:git|https?)|:\s*["'](?:git(?:\+\w+)?:|github:|https?://[^"']+\.(?:tgz|tar\.gz|git)|file:|[\w.-]+/[\w.-]+#))`, Dependency, whyIndex),
	on(`(?:^|/)go\.(?:mod|work)$`, `^\s*replace\b|=>`, Dependency, whyIndex),
	on(`(?:^|/)(?:Cargo|pyproject|uv)\.toml$`, `^\s*\[(?:patch\.|source\.|\[?tool\.uv\.(?:index|sources)|\[?tool\.poetry\.source|\[?source)`, Dependency, whyIndex),
	on(`(?i)(?:^|/)(?:Dockerfile[^/]*|[^/]*\.dockerfile)$`, `^\s*FROM\s+\S+/\S+/\S+|^\s*ADD\s+https?:`, Dependency, whyIndex),
	on(pipelines, `^\s*-?\s*uses:\s*[^\s@]+`, Dependency, whyIndex),
	on(`(?:^|/)package\.json$`, `^\s*"(?:pre|post)?install"\s*:|^\s*"prepare"\s*:`, Execution, whyHook),
	on(`(?i)\.(?:html?|jinja2?|j2|tmpl|ejs|hbs|vue|svelte|twig)$`, `\|\s*safe\b|\{%-?\s*autoescape\s+false|\{\{\{|<%-|v-html=|\{@html|<script[^>]+src=["']?https?:`, Weakened, "it writes text into a page unescaped, or loads a foreign script"),
}

var limitLine = lazyregexp.New(`(?i)^[\s-]*["']?([\w.-]*(?:max|min|limit|timeout|rate|ttl|expir|quota|retries)[\w.-]*)["']?\s*[:=]\s*["']?(\d[\w.]*|null|none|unlimited|~)["']?\s*,?\s*(?:#.*)?$`)

// lines reads what has no tree, line by line.
func lines(file string, src []byte) []fact {
	if prose(file) && !packageFile.MatchString(file) {
		return nil
	}
	var out []fact
	rules := slices.DeleteFunc(slices.Clone(lineRules), func(r rule) bool { return r.files != nil && !r.files.MatchString(file) })
	config, sql := configFile.MatchString(file), strings.EqualFold(path.Ext(file), ".sql")
	no := 0
	for line := range strings.SplitSeq(string(src), "\n") {
		no++
		text := strings.Join(strings.Fields(line), " ")
		if text == "" {
			continue
		}
		see := func(kind Kind, why, key string) *fact {
			out = append(out, fact{kind: kind, why: why, key: key, line: no, text: text})
			return &out[len(out)-1]
		}
		if m := lint.FindString(text); m != "" {
			see(CheckOff, whyLint, m)
		}
		if commented(file, text) {
			continue
		}
		for _, r := range rules {
			if m := r.line.FindString(line); m != "" {
				f := see(r.kind, r.why, r.key(text, m))
				f.once = r.why == whyIndex && strings.Contains(m, "uses:") || r.why == whySecrets
			}
		}
		if !sql {
			for _, h := range hosts(text) {
				see(Address, whyAddress, h).once = true
			}
			for _, q := range quoted.FindAllString(text, -1) {
				for _, d := range statements(strings.Trim(q, `"'`)) {
					see(SQL, d.why, d.key)
				}
			}
		}
		if m := limitLine.FindStringSubmatch(line); config && m != nil {
			see(Limit, whyBound, m[1]+"="+m[2]).base = m[1]
			if m[2][0] >= '1' && m[2][0] <= '9' {
				f := see(Limit, whyUnbound, m[1])
				f.good = true
			}
		}
		if m := secretLine.FindStringSubmatch(line); config && m != nil && credential(m[1]) {
			see(Credential, "it writes a secret into a file", text).text = strings.ReplaceAll(text, m[1], "…")
		}
	}
	if sql {
		for _, d := range statements(string(src)) {
			out = append(out, fact{kind: SQL, why: d.why, key: d.key, line: d.line, text: d.text})
		}
	}
	return out
}

// key is what makes a line the same: of a rule about a flag what it found, else
// the whole line.
func (r rule) key(line, found string) string {
	if r.kind == Dependency && strings.Contains(found, "uses:") {
		return strings.TrimSpace(found)
	}
	return strings.TrimRight(line, ",")
}

var (
	quoted      = lazyregexp.New(`"[^"]*"|'[^']*'`)
	packageFile = lazyregexp.New(`(?i)(?:^|/)(?:requirements|constraints)[^/]*\.txt$`)
	configFile  = lazyregexp.New(`(?i)\.(?:ya?ml|json|toml|ini|cfg|conf|env|properties)$|(?:^|/)(?:\.env[^/]*|Dockerfile[^/]*)$`)
	secretLine  = lazyregexp.New(`(?i)^[\s-]*(?:export\s+|ENV\s+)?["']?(?:\w*_)?(?:passw(?:or)?d|secret(?:_?key)?|api_?key|(?:auth|access|api)_?token|private_?key)["']?\s*[:=]\s*["']?([^\s"',]+)`)
	licenceFile = lazyregexp.New(`(?i)(?:^|/)(?:licen[cs]e|copying|notice)[^/]*$`)
	licenceLine = lazyregexp.New(`(?i)SPDX-License-Identifier:\s*(.+)|permission is hereby granted|licensed under\s+(.+)|GNU (?:Lesser |Affero )?General Public License|^\s*"?licen[cs]e"?\s*[:=]\s*(.+)|copyright (?:\(c\)|©|\d{4})\s*(.+)|all rights reserved`)
	year        = lazyregexp.New(`\d+|[-–,]`)
)

func commented(file, line string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".json", ".html", ".htm", ".css":
		return false
	case ".sql":
		return strings.HasPrefix(line, "--")
	case ".ini", ".cfg", ".conf", ".npmrc":
		return line[0] == '#' || line[0] == ';'
	}
	return line[0] == '#' || strings.HasPrefix(line, "//") && !strings.HasPrefix(path.Base(file), "Makefile") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "/*")
}

// everywhere are the facts of any text, code too: secrets of well-known shapes and
// the words of a licence.
func everywhere(file string, src []byte) []fact {
	var out []fact
	all := strings.Split(string(src), "\n")
	var none *redact.Funnel // shapes only
	for _, s := range none.FindSecrets(string(src)) {
		text := strings.Join(strings.Fields(all[s.Line-1]), " ")
		out = append(out, fact{kind: Credential, why: "it holds what looks like a secret (" + s.Rule + ")", key: text, line: s.Line, text: none.Secrets(text)})
	}
	source := code.LanguageOf(file) != code.Unknown
	whole := licenceFile.MatchString(file) && !source
	if source && code.IsTest(file) {
		return out // its own head apart, such words are what it is about
	}
	for i, line := range all {
		text := strings.Join(strings.Fields(line), " ")
		at := licenceLine.FindStringIndex(text)
		if text == "" || !whole && at == nil || source && strings.ContainsAny(text[:at[0]], "\"'`=(") { // in a text of code
			continue
		}
		key := strings.Join(strings.Fields(year.ReplaceAllString(strings.ToLower(strings.Trim(text, "#/*-;\" ,")), "")), " ")
		f := fact{kind: Licence, why: whyLicence, key: key, line: i + 1, text: text}
		lost := f
		lost.good = true
		out = append(out, f, lost)
	}
	return out
}

// statement is an SQL statement that does harm.
type statement struct {
	why, key, text string
	line           int
}

var (
	sqlComment = lazyregexp.New(`(?m)--[^\n]*|/\*[\s\S]*?\*/`)
	wipes      = lazyregexp.New(`(?is)^(?:drop\s+(?:table|database|schema|view|index|user|role|trigger|policy|constraint|column)\b|truncate\s+(?:table\s+)?[\w."` + "`" + `\[]+|alter\s+table\s+\S+\s+(?:drop|disable\s+(?:trigger|row))\b)`)
	allRows    = lazyregexp.New(`(?is)^(?:delete\s+from\s+\S+|update\s+[\w."` + "`" + `\[\]]+\s+(?:as\s+\w+\s+)?set\s+[\w."` + "`" + `\[\]]+\s*=)`)
	where      = lazyregexp.New(`(?is)\bwhere\b|\blimit\b|\busing\b`)
	grants     = lazyregexp.New(`(?is)^grant\s+.*\bto\b`)
)

// statements are the harmful ones of an SQL text, or of a text that is none.
func statements(src string) []statement {
	if len(src) < 8 {
		return nil
	}
	src = sqlComment.ReplaceAllStringFunc(src, func(c string) string { return strings.Repeat("\n", strings.Count(c, "\n")) })
	var out []statement
	line := 1
	for part := range strings.SplitSeq(src, ";") {
		text := strings.TrimSpace(part)
		at := line + strings.Count(part[:strings.Index(part, text)], "\n")
		line += strings.Count(part, "\n")
		why := ""
		switch {
		case wipes.MatchString(text):
			why = whyWipe
		case allRows.MatchString(text) && !where.MatchString(text), allRows.MatchString(text) && alwaysTrue.MatchString(text):
			why = whyAllRows
		case grants.MatchString(text):
			why = whyGrant
		}
		if why != "" {
			key := strings.ToLower(strings.Join(strings.Fields(text), " "))
			out = append(out, statement{why, key, text, at})
		}
	}
	return out
}

var alwaysTrue = lazyregexp.New(`(?is)\bwhere\s+(?:1\s*=\s*1|true|1|'1'\s*=\s*'1')\s*$|\bor\s+(?:1\s*=\s*1|true)\b`)

var address = lazyregexp.New(`(?i)\b(?:https?|wss?|ftps?|tcp|udp|ssh|git|s?ftp|mongodb(?:\+srv)?|postgres(?:ql)?|mysql|redis|amqps?|ldaps?)://(?:[^\s/@"'<>]*@)?([\w.-]+\.[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3})(:\d+)?((?:/[^\s"'<>]*)?)|\bgit@([\w.-]+\.[a-z]{2,}):|(?:^|[\s"'=@])(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)(?:$|[\s"'/])`)

// hosts are the outside addresses in a text.
func hosts(text string) []string {
	if !strings.ContainsAny(text, ":") {
		return nil
	}
	var out []string
	for _, m := range address.FindAllStringSubmatch(text, -1) {
		host := strings.ToLower(m[1] + m[4] + m[5])
		if !harmlessHost(host, strings.ToLower(m[3])) && !slices.Contains(out, host) {
			out = append(out, host)
		}
	}
	return out
}

// harmlessHost: loopback, the names that RFC 2606 sets aside, and pages that are
// there to be read.
func harmlessHost(host, page string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsUnspecified() || strings.HasPrefix(host, "192.0.2.") || strings.HasPrefix(host, "198.51.100.") || strings.HasPrefix(host, "203.0.113.")
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	if slices.Contains([]string{"test", "example", "invalid", "localhost", "local", "internal_example"}, last) {
		return true
	}
	if len(labels) > 1 && labels[len(labels)-2] == "example" {
		return true
	}
	if (host == "github.com" || host == "gitlab.com") && (strings.Contains(page, "/issues") || strings.Contains(page, "/pull") || strings.Contains(page, "/blob/") || strings.Contains(page, "/wiki")) {
		return true
	}
	return slices.Contains([]string{"docs", "doc", "documentation", "developer", "datatracker", "wiki", "json-schema", "schemas"}, labels[0]) ||
		slices.Contains([]string{"www.w3.org", "w3.org", "tools.ietf.org", "www.rfc-editor.org", "rfc-editor.org", "www.ietf.org", "json-schema.org", "schema.org", "json.schemastore.org", "en.wikipedia.org", "stackoverflow.com", "peps.python.org", "go.dev", "pkg.go.dev", "golang.org", "mdn.io", "bugs.python.org", "nodejs.org", "www.python.org", "readthedocs.io", "opensource.org", "creativecommons.org"}, host) || strings.HasSuffix(host, ".readthedocs.io") || strings.HasSuffix(host, ".readthedocs.org")
}
