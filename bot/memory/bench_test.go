package memory

import (
	"crypto/sha1"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// made is a tree of n files of Python with as much text as real ones have.
func made(n int) project {
	r := rand.New(rand.NewSource(1))
	words := strings.Fields("request session header cookie proxy redirect retry timeout stream chunk encode decode parse format render write read open close client server token cache store index query filter order total price amount night guest room booking invoice tax rate limit queue worker lease event hook label branch commit")
	pick := func() string { return words[r.Intn(len(words))] }
	p := project{}
	for k := range n {
		var b strings.Builder
		for range 20 {
			fmt.Fprintf(&b, "def %s_%s_%d(%s, %s):\n    \"\"\"The %s of a %s %s.\"\"\"\n", pick(), pick(), r.Intn(3000), pick(), pick()+"s", pick(), pick(), pick())
			for range 8 {
				fmt.Fprintf(&b, "    %s = %s_%s_%d(%s, '%s %s')\n", pick(), pick(), pick(), r.Intn(3000), pick(), pick(), pick())
			}
			fmt.Fprintf(&b, "    return %s\n\n\n", pick())
		}
		p[fmt.Sprintf("pkg%d/%s_%d.py", k%40, pick(), k)] = b.String()
	}
	return p
}

// BenchmarkIndex tells megabytes a second of a first index, and the size of the
// file against that of the text.
func BenchmarkIndex(b *testing.B) {
	src := made(1000).source()
	size := int64(0)
	for _, f := range src.Files {
		size += f.Size
	}
	b.SetBytes(size)
	for n := range b.N {
		path := filepath.Join(b.TempDir(), fmt.Sprint(n), "index.db")
		x := open(b, path)
		update(b, x, src)
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/float64(size), "file/text")
	}
}

// BenchmarkTenFiles is an update after ten of 1,000 files changed, by a process
// that has the index open.
func BenchmarkTenFiles(b *testing.B) {
	p := made(1000)
	x := open(b, filepath.Join(b.TempDir(), "index.db"))
	src := p.source()
	update(b, x, src)
	b.ResetTimer()
	for n := range b.N {
		b.StopTimer()
		for k := range 10 {
			f := &src.Files[(n*10+k)%len(src.Files)]
			p[f.Path] += fmt.Sprintf("def added_%d_%d():\n    return %d\n", n, k, n)
			f.Hash, f.Size = fmt.Sprintf("%x", sha1.Sum([]byte(p[f.Path]))), int64(len(p[f.Path]))
		}
		b.StartTimer()
		if _, rep := update(b, x, src); rep.Read != 10 {
			b.Fatalf("%+v", rep)
		}
	}
}

// BenchmarkSearch asks 20,000 pieces with the text of an issue; the slowest of
// a hundred is told.
func BenchmarkSearch(b *testing.B) {
	x := open(b, filepath.Join(b.TempDir(), "index.db"))
	v, rep := update(b, x, made(1000).source())
	if rep.Pieces < 20_000 {
		b.Fatalf("%d pieces", rep.Pieces)
	}
	asks := []Query{
		{Title: "Redirects lose the cookie of a session", Body: "When a `client` follows a redirect, `parse_header_12()` drops the cookie.\nThe proxy retries and the token expires. The stream of the server closes before the cache is written, and the query of the index gives an older order of the booking, its invoice and the tax rate."},
		{Title: "total price of a night"},
		{Title: "Crash", Body: "  File \"pkg3/cache_43.py\", line 12, in read_cache_7\nValueError: the queue worker lease"},
	}
	var slowest time.Duration
	n := 0
	for b.Loop() {
		begun := time.Now()
		x.answers.Purge()
		if _, err := v.Search(b.Context(), asks[n%len(asks)]); err != nil {
			b.Fatal(err)
		}
		if n++; n > 3 {
			slowest = max(slowest, time.Since(begun))
		}
	}
	b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
}
