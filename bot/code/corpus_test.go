package code

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// corpus lists real source files of this machine, some of each language.
func corpus(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{
		"/usr/lib/python3*/*.py", "/usr/lib/python3*/email/*.py", "/usr/lib/node_modules/npm/lib/*/*.js", "/usr/share/nodejs/*/*.js",
		filepath.Join(runtime.GOROOT(), "src/net/http/*.go"), filepath.Join(runtime.GOROOT(), "src/strings/*.go"), //nolint:staticcheck // the toolchain that runs the test
		filepath.Join(runtime.GOROOT(), "src/text/*/*.go"), //nolint:staticcheck // as above
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found[:min(45, len(found))]...)
	}
	return out
}

func TestE1RegionsOfRealFiles(t *testing.T) {
	t.Parallel()
	files, count, begin := 0, 0, time.Now()
	for _, file := range corpus(t) {
		src, err := os.ReadFile(file)
		if err != nil || len(src) > 100_000 || time.Since(begin) > 15*time.Second {
			continue
		}
		regions, err := Regions(t.Context(), file, src)
		if err != nil {
			t.Fatal(err)
		}
		files, count = files+1, count+len(regions)
		checkRegions(t, file, src, regions)
		checkCovered(t, file, src, regions)
		for i, r := range regions {
			// A region given back comes out unchanged, with and without its
			// indentation.
			text := string(src[r.StartByte:r.EndByte])
			if got := fit(t.Context(), src, r, text); got != text {
				t.Errorf("%s: %s is not kept: %q", file, r.ID, got)
			}
			if got := fit(t.Context(), src, r, indentBefore(src, r.StartByte)+text+"\n"); got != text {
				t.Errorf("%s: %s with its indentation is not kept: %q", file, r.ID, got)
			}
			if i%16 == 0 {
				checkEdit(t, file, src, r)
			}
		}
	}
	t.Logf("%d regions in %d files", count, files)
}

// checkCovered holds that every line with code lies in a region.
func checkCovered(t *testing.T, file string, src []byte, regions []Region) {
	t.Helper()
	tree, err := Parse(t.Context(), LanguageOf(file), src)
	if err != nil {
		t.Fatal(err)
	}
	in := map[int]bool{}
	for _, r := range regions {
		for l := r.StartLine; l <= r.EndLine; l++ {
			in[l] = true
		}
	}
	tree.Walk(func(n Node) bool {
		if n.IsExtra() || n.Kind() == "hash_bang_line" {
			return false
		}
		leaf := len(n.Children()) == 0 && strings.TrimSpace(n.Text()) != ""
		if leaf && !in[n.Line()] {
			t.Errorf("%s:%d %q lies in no region", file, n.Line(), n.Text())
			in[n.Line()] = true
		}
		return true
	})
}

func checkEdit(t *testing.T, file string, src []byte, r Region) {
	t.Helper()
	text := string(src[r.StartByte:r.EndByte])
	out, _, _, err := Replace(t.Context(), file, src, r.ID, text)
	if !errors.Is(err, ErrNoChange) || !bytes.Equal(out, src) {
		t.Errorf("%s: %s replaced by itself: %v", file, r.ID, err)
	}
	out, _, _, err = Replace(t.Context(), file, src, r.ID, text+" ")
	if err != nil && !errors.Is(err, ErrNoChange) || !bytes.HasPrefix(out, src[:r.StartByte]) || !bytes.HasSuffix(out, src[r.EndByte:]) {
		t.Errorf("%s: %s: other bytes changed: %v", file, r.ID, err)
	}
}

func TestE4RealFilesParse(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	for _, file := range corpus(t) {
		src, err := os.ReadFile(file)
		if err != nil || len(src) > 60_000 || time.Since(begin) > 10*time.Second {
			continue
		}
		errs, err := Check(t.Context(), file, src)
		if err != nil {
			t.Fatal(err)
		}
		if len(errs) > 0 {
			t.Errorf("%s: a file that runs is refused: %v", file, errs[0])
		}
	}
}

func BenchmarkRegions(b *testing.B) {
	var files [][]byte
	var names []string
	total := 0
	for _, file := range corpus(b) {
		if src, err := os.ReadFile(file); err == nil && len(src) < 60_000 && len(files) < 60 {
			files, names, total = append(files, src), append(names, file), total+len(src)
		}
	}
	b.SetBytes(int64(total))
	for b.Loop() {
		for i, src := range files {
			if _, err := Regions(b.Context(), names[i], src); err != nil {
				b.Fatal(err)
			}
		}
	}
}
