package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func block(search, replace string) string {
	return "<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
}

// searchReplace makes the blocks of a text in a source, as a patch does. The
// Resolution is the weakest of the blocks'.
func searchReplace(path string, src []byte, text string) ([]byte, Resolution, error) {
	blocks, err := ParseBlocks(text)
	if err != nil {
		return nil, Resolution{}, fmt.Errorf("%s: %w", path, err)
	}
	spans, err := FindBlocks(path, src, blocks)
	if err != nil {
		return nil, Resolution{}, err
	}
	how := Resolution{By: "text", Score: 1}
	var changes []change
	for _, s := range spans {
		if s.How.Score < how.Score {
			how = s.How
		}
		changes = append(changes, change{s.Start, s.End, s.Text})
	}
	out := applyChanges(src, changes)
	if bytes.Equal(out, src) {
		return src, how, fmt.Errorf("%s: %w", path, ErrNoChange)
	}
	return out, how, nil
}

func TestE3SearchBlocksAreFoundAndFitted(t *testing.T) {
	t.Parallel()
	const src = "class A:\n    def f(self):\n        x = 1\n        return x\n\n    def g(self):\n        return 2\n"
	for _, c := range []struct{ name, src, blocks, want, by string }{
		{"exact", src, block("        x = 1\n", "        x = 2\n"), strings.Replace(src, "x = 1", "x = 2", 1), "text 1.00"},
		{"two blocks", src, block("        x = 1\n", "        x = 2\n") + "\n" + block("        return 2\n", "        return 3\n"), strings.NewReplacer("x = 1", "x = 2", "return 2", "return 3").Replace(src), "text 1.00"},
		{"spaces at line ends", strings.Replace(src, "x = 1", "x = 1  ", 1), block("        x = 1\n        return x\n", "        x = 1\n        return -x\n"), strings.NewReplacer("x = 1", "x = 1  ", "return x", "return -x").Replace(src), "text 0.98"},
		{"another indentation", src, block("x = 1\nreturn x\n", "x = 1\nif x:\n    return x\n"), strings.Replace(src, "        return x\n", "        if x:\n            return x\n", 1), "similarity 0.95"},
		{"white space inside", src, block("        x=1\n        return  x\n", "        x = 5\n        return  x\n"), strings.Replace(src, "x = 1", "x = 5", 1), "similarity 0.96"},
		{"carriage returns", strings.ReplaceAll(src, "\n", "\r\n"), block("        x = 1\n", "        x = 2\n        y = 3\n"), strings.ReplaceAll(strings.Replace(src, "x = 1", "x = 2\n        y = 3", 1), "\n", "\r\n"), "text 1.00"},
		{"no final end", "a\nb", block("b\n", "c\n"), "a\nc", "text 1.00"},
		{"byte order mark", "\ufeffa\nb\n", block("a\n", "c\n"), "\ufeffc\nb\n", "text 1.00"},
		{"deleted lines", src, block("        x = 1\n", ""), strings.Replace(src, "        x = 1\n", "", 1), "text 1.00"},
		{"an empty file", "", block("", "x = 1\n"), "x = 1\n", "text 1.00"},
	} {
		out, how, err := searchReplace("a.py", []byte(c.src), c.blocks)
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %v\n%q\n%q", c.name, err, out, c.want)
		}
		if got := strings.TrimSpace(how.By + " " + trimScore(how.Score)); got != c.by {
			t.Errorf("%s: resolved by %s, want %s", c.name, got, c.by)
		}
	}
}

func trimScore(f float64) string {
	return string([]byte{byte('0' + int(f)), '.', byte('0' + int(f*10+0.0001)%10), byte('0' + int(f*100+0.0001)%10)})
}

func TestE3SearchBlocksThatFitNowhereAreRefused(t *testing.T) {
	t.Parallel()
	const src = "def f():\n    a = 1\n    return a\n\ndef g():\n    a = 1\n    return -a\n"
	for name, c := range map[string]struct{ blocks, says string }{
		"twice":        {block("    a = 1\n", "    a = 2\n"), "search block 1: more than one region fits: its lines stand at lines 2, 6; add lines before or after until it fits one place only"},
		"nowhere":      {block("zzz\n", "y\n"), "search block 1: no such region: none of its lines stands in the file; copy them exactly"},
		"almost":       {block("def f():\n    a = 1\n    return b\n", "x\n"), `it is most like line 1, but where it has "return b" the file's line 3 has "return a"; copy the lines exactly`},
		"too far":      {block("    a = 1\n    return                              -a\n", "x\n"), "only 44 % alike; copy them exactly"},
		"overlap":      {block("def f():\n    a = 1\n", "x\n") + block("def f():\n", "y\n"), "two search blocks overlap at line 1"},
		"empty":        {block("", "y\n"), "the SEARCH part is empty; give the lines that are to be replaced, or use insert_after"},
		"not closed":   {"<<<<<<< SEARCH\na\n=======\nb\n", "not a search/replace block: line 5 is the end, and the last block is not closed by >>>>>>> REPLACE"},
		"no block":     {"x = 1\n", `not a search/replace block: line 1 ("x = 1") stands outside of a block`},
		"no middle":    {"<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "line 3 ends a block that has no ======="},
		"nested":       {"<<<<<<< SEARCH\n<<<<<<< SEARCH\n", "line 2 begins a block inside another"},
		"no change":    {block("def f():\n", "def f():\n"), ErrNoChange.Error()},
		"nothing":      {"", "there was no <<<<<<< SEARCH"},
		"past the end": {block("    return -a\nx\n", "y\n"), "the file ends before its line 2"},
	} {
		_, _, err := searchReplace("a.py", []byte(src), c.blocks)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestE1MarkersLeaveNoTrace(t *testing.T) {
	t.Parallel()
	for path, src := range realSources(t, 60) {
		checkMark(t, path, src)
		checkMark(t, path, []byte("\ufeff"+strings.ReplaceAll(strings.TrimSuffix(string(src), "\n"), "\n", "\r\n")))
	}
	src := []byte("class A:\n    def f(self):\n        return 1\n")
	out, err := Mark(t.Context(), "a.py", src, "method:A.f")
	if err != nil || !strings.Contains(string(out), "    # REGION: A.f [method:A.f@") || !strings.Contains(string(out), "    # END REGION: A.f [method:A.f@") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := Mark(t.Context(), "a.py", out); err == nil || !strings.Contains(err.Error(), "such marks already") {
		t.Errorf("marked twice: %v", err)
	}
	if _, err := Mark(t.Context(), "a.bin", src); err == nil {
		t.Error("a file of an unknown kind was marked")
	}
	// A model that gives the markers back has them taken out.
	got, _, _, err := Replace(t.Context(), "a.py", src, "method:A.f", strings.Replace(string(out[bytes.Index(out, []byte("    # REGION")):]), "1", "2", 1))
	if err != nil || string(got) != strings.Replace(string(src), "1", "2", 1) {
		t.Errorf("%v\n%s", err, got)
	}
}

func checkMark(t rapid.TB, path string, src []byte) {
	t.Helper()
	out, err := Mark(context.Background(), path, src)
	if err != nil {
		return
	}
	if got := Unmark(out); !bytes.Equal(got, src) {
		t.Fatalf("%s: the markers leave a trace: %.300q", path, got)
	}
	if !parses(context.Background(), path, src) {
		return
	}
	if before, err := Check(context.Background(), path, src); err != nil || len(before) > 0 {
		return
	}
	if errs, err := Check(context.Background(), path, out); err != nil || len(errs) > 0 {
		t.Fatalf("%s: the markers break the file: %v %v\n%.900q", path, errs, err, out)
	}
}

func FuzzSearchReplace(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), block("b\n", "d\n"))
	f.Add([]byte("\ufeffa\r\n  b\r\nc"), block("b\n", "  d\n")+block("c\n", ""))
	f.Fuzz(func(t *testing.T, src []byte, text string) {
		if len(src) > 10_000 || len(text) > 5_000 {
			return
		}
		keep := bytes.Clone(src)
		out, how, err := searchReplace("a.py", src, text)
		if !bytes.Equal(src, keep) {
			t.Fatal("the source was written to")
		}
		if errors.Is(err, ErrNoChange) && !bytes.Equal(out, src) {
			t.Fatal("no change, but other bytes")
		}
		if err != nil {
			return
		}
		if how.Score < MinSimilarity || how.Score > 1 {
			t.Fatalf("taken at %+v", how)
		}
		blocks, _ := ParseBlocks(text)
		spans, err := FindBlocks("a.py", src, blocks)
		if err != nil {
			t.Fatal(err)
		}
		// What stands outside of the spans is there, in its order.
		rest, at := out, 0
		for _, s := range spans {
			i := bytes.Index(rest, src[at:s.Start])
			if i < 0 {
				t.Fatalf("bytes before %d are gone: %q %q %q", s.Start, src, text, out)
			}
			rest, at = rest[i+s.Start-at:], s.End
		}
		if !bytes.HasSuffix(rest, src[at:]) {
			t.Fatalf("bytes behind the last block changed: %q %q %q", src, text, out)
		}
		checkMark(t, "a.py", src)
		checkMark(t, "a.js", src)
	})
}
