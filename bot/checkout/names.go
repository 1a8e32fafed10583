package checkout

import (
	"strings"
	"unicode/utf8"
)

// ValidBranch tells whether a name can be a branch. What it accepts passes
// git check-ref-format --branch unchanged and is never read as an option or a
// revision expression.
func ValidBranch(name string) bool {
	if name == "" || len(name) > 200 || name == "@" || name == "HEAD" || strings.HasPrefix(name, "refs/") ||
		strings.ContainsAny(name, " ~^:?*[\\") || name[0] == '-' || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for i := range len(name) {
		if name[i] < 0x20 || name[i] == 0x7f {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// isHash tells whether the text is a full object name.
func isHash(s string) bool {
	if len(s) != 40 {
		return false
	}
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}

// safePath tells whether a path of a commit stays inside the tree on every
// file system and does not name a Git directory.
func safePath(path string) bool {
	if path == "" || len(path) > 4000 || strings.IndexByte(path, 0) >= 0 {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || len(part) > 255 || isDotGit(part) {
			return false
		}
	}
	return true
}

// isDotGit tells whether some file system takes the name for .git: in any
// case, as NTFS short name or stream, with trailing dots and blanks, behind a
// backslash, or with characters that HFS+ ignores.
func isDotGit(name string) bool {
	for part := range strings.SplitSeq(name, `\`) {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(strings.ToLower(strings.Map(dropIgnored, part)), " .")
		if part == ".git" || part == "git~1" {
			return true
		}
	}
	return false
}

// dropIgnored removes what HFS+ ignores in names.
func dropIgnored(r rune) rune {
	switch {
	case r == utf8.RuneError:
		return r
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff, r == 0x200b:
		return -1
	}
	return r
}
