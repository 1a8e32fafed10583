package code

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Replace puts newCode in the place of a region. The code is fitted to the
// indentation of the region (tabs or spaces as the file has them) and to the
// file's line endings; every byte before and after the region stays. It
// returns the new source, the region as it stands there, and how the target
// was found. Errors: those of Resolve, ErrNoChange (with the source as it
// was), or that newCode is empty.
func Replace(ctx context.Context, path string, src []byte, id, newCode string) ([]byte, Region, Resolution, error) {
	region, how, err := find(ctx, path, src, id)
	if err != nil {
		return nil, Region{}, how, err
	}
	if strings.TrimSpace(newCode) == "" {
		return nil, region, how, fmt.Errorf("replace %s: the new code is empty; to remove a region, delete it", region.ID)
	}
	fitted := fit(ctx, src, region, newCode)
	if fitted == string(src[region.StartByte:region.EndByte]) {
		return src, region, how, fmt.Errorf("replace %s: %w", region.ID, ErrNoChange)
	}
	out := splice(src, region.StartByte, region.EndByte, fitted)
	after, err := regionAt(ctx, path, out, region, region.StartByte, region.StartByte+len(fitted))
	return out, after, how, err
}

// Insert puts newCode after a region, on lines of its own, at the region's
// indentation, with the blank lines that are usual between such regions. All
// bytes of src stay. The rest is as for Replace; the region returned is the
// new one.
func Insert(ctx context.Context, path string, src []byte, id, newCode string) ([]byte, Region, Resolution, error) {
	region, how, err := find(ctx, path, src, id)
	if err != nil {
		return nil, Region{}, how, err
	}
	if strings.TrimSpace(newCode) == "" {
		return nil, region, how, fmt.Errorf("insert after %s: the new code is empty", region.ID)
	}
	eol := lineEnding(src)
	at := region.EndByte
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		at += i
		if at > region.EndByte && src[at-1] == '\r' {
			at--
		}
	} else {
		at = len(src)
	}
	indent := indentBefore(src, region.StartByte)
	gap := strings.Repeat(eol, 1+blankLines(region, newCode))
	code := fit(ctx, src, region, newCode)
	out := splice(src, at, at, gap+indent+code)
	start := at + len(gap) + len(indent)
	after, err := regionAt(ctx, path, out, region, start, start+len(code))
	return out, after, how, err
}

// blankLines is how many blank lines stand before newCode when it is put
// after a region.
func blankLines(r Region, newCode string) int {
	if r.Name == "imports" && r.Kind == KindBlock {
		first := strings.TrimSpace(newCode)
		for _, word := range []string{"import ", "from ", "use ", "require", "const ", "#"} {
			if strings.HasPrefix(first, word) {
				return 0
			}
		}
	}
	if r.Language == Python && r.Parent == "" {
		return 2
	}
	return 1
}

// Delete removes a region with the comment lines attached above it and, when
// it stood alone on its lines, those lines and the blank lines after it. The
// region returned is the one that was removed.
func Delete(ctx context.Context, path string, src []byte, id string) ([]byte, Region, Resolution, error) {
	region, how, err := find(ctx, path, src, id)
	if err != nil {
		return nil, Region{}, how, err
	}
	start, end := region.StartByte, region.EndByte
	lineStart := bytes.LastIndexByte(src[:start], '\n') + 1
	lineEnd := end
	for lineEnd < len(src) && strings.IndexByte(" \t\r;,", src[lineEnd]) >= 0 {
		lineEnd++
	}
	alone := len(bytes.TrimSpace(src[lineStart:start])) == 0 && (lineEnd == len(src) || src[lineEnd] == '\n')
	if alone {
		start, end = lineStart, min(lineEnd+1, len(src))
		start = aboveComments(region.Language, src, start)
		for end < len(src) {
			next := bytes.IndexByte(src[end:], '\n')
			if next < 0 || len(bytes.TrimSpace(src[end:end+next])) > 0 {
				break
			}
			end += next + 1
		}
	}
	return splice(src, start, end, ""), region, how, nil
}

// aboveComments moves a line's start up over the comment lines above it.
func aboveComments(lang Language, src []byte, start int) int {
	for start > 0 {
		prev := bytes.LastIndexByte(src[:start-1], '\n') + 1
		if !isComment(lang, bytes.TrimSpace(src[prev:start])) {
			break
		}
		start = prev
	}
	return start
}

func find(ctx context.Context, path string, src []byte, id string) (Region, Resolution, error) {
	regions, err := Regions(ctx, path, src)
	if err != nil {
		return Region{}, Resolution{}, err
	}
	r, how, err := Resolve(regions, id)
	if err != nil {
		return r, how, fmt.Errorf("%s: %w", path, err)
	}
	return r, how, nil
}

func splice(src []byte, start, end int, text string) []byte {
	return slices.Concat(src[:start], []byte(text), src[end:])
}

// regionAt is the region that stands at [start, end) of the new source: the
// largest one inside of the same kind and name, else the largest one inside,
// else a description of the bare span.
func regionAt(ctx context.Context, path string, src []byte, old Region, start, end int) (Region, error) {
	regions, err := Regions(ctx, path, src)
	if err != nil {
		return Region{}, err
	}
	var best *Region
	same := func(r *Region) bool { return r.Kind == old.Kind && r.QualifiedName == old.QualifiedName }
	for i := range regions {
		r := &regions[i]
		if r.StartByte < start || r.EndByte > end {
			continue
		}
		if best == nil || same(r) && !same(best) {
			best = r
		}
	}
	if best != nil {
		return *best, nil
	}
	lines := lineStarts(src)
	r := old
	r.StartByte, r.EndByte = start, end
	r.StartLine, r.EndLine = lineAt(lines, start), lineAt(lines, max(start, end-1))
	r.ID = r.Kind + ":" + r.QualifiedName + "@" + hash8(src[start:end])
	r.Signature, r.Doc = "", ""
	return r, nil
}

// lineEnding is the file's more frequent one: "\r\n" or "\n".
func lineEnding(src []byte) string {
	crlf := bytes.Count(src, []byte("\r\n"))
	if crlf > 0 && crlf*2 > bytes.Count(src, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// indentBefore is the white space between the start of the line and offset,
// or "" when other text stands there.
func indentBefore(src []byte, offset int) string {
	line := src[bytes.LastIndexByte(src[:offset], '\n')+1 : offset]
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if len(bytes.Trim(line, " \t")) > 0 {
		return ""
	}
	return string(line)
}
