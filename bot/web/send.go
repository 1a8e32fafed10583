package web

import (
	"compress/gzip"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// send writes an answer, compressed where that is taken and worth it. A page holds a
// secret of the session and words of its address, whose lengths tell together; only the
// session's own site can ask for it (SameSite=Strict), so nobody sees those lengths.
func send(w http.ResponseWriter, r *http.Request, code int, body []byte) {
	w.Header().Add("Vary", "Accept-Encoding")
	if len(body) < 1000 || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(code)
		_, _ = w.Write(body) // nobody is left to tell
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(code)
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(w)
	_, _ = z.Write(body)
	_ = z.Close()
}

// query is a query string of names and values, without those that are empty.
func query(pairs ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v.Encode()
}
