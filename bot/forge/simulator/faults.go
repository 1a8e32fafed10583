package simulator

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Fault makes matching requests go wrong, for tests of what must survive it.
type Fault struct {
	Route  string `json:"route"`            // path such as /repos/*/*/issues/*/comments or /*/*/git-receive-pack; "*" or "{x}" is one segment, "**" the rest; "" = every path. /api/v3 may be left out
	Method string `json:"method,omitempty"` // "" = every method

	Skip  int `json:"skip,omitempty"`  // let this many matching requests pass first
	Count int `json:"count,omitempty"` // then strike this often; 0 = always

	Delay  time.Duration `json:"delay,omitempty"`  // before anything else, in nanoseconds
	Status int           `json:"status,omitempty"` // answer this instead
	Header http.Header   `json:"header,omitempty"` // with these headers, such as Retry-After
	Body   string        `json:"body,omitempty"`   // "" = GitHub's JSON error for the status

	// Late lets the request be handled first: its effect stays, only the answer
	// goes wrong.
	Late bool `json:"late,omitempty"`

	Cut          bool  `json:"cut,omitempty"`            // close the connection instead of answering
	CutAfter     int64 `json:"cut_after,omitempty"`      // after this many bytes of the answer's body (implies Late)
	CutRequestAt int64 `json:"cut_request_at,omitempty"` // after this many bytes of the request's body
}

type activeFault struct {
	Fault
	segments []string
	seen     int
}

type faultSet struct {
	mu   sync.Mutex
	list []*activeFault
}

// Fault adds a fault. Faults are tried in the order in which they were added;
// the first that matches and is not used up strikes.
func (s *Server) Fault(f Fault) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.list = append(s.faults.list, &activeFault{Fault: f, segments: split(strings.TrimPrefix(f.Route, "/api/v3"))})
}

// ClearFaults removes all faults.
func (s *Server) ClearFaults() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.list = nil
}

func (f *activeFault) matches(method string, path []string) bool {
	if f.Method != "" && !strings.EqualFold(f.Method, method) {
		return false
	}
	if f.Route == "" {
		return true
	}
	for i, seg := range f.segments {
		if seg == "**" || (strings.HasPrefix(seg, "{") && strings.HasSuffix(seg, "...}")) {
			return true
		}
		if i >= len(path) {
			return false
		}
		if seg != "*" && !strings.HasPrefix(seg, "{") && seg != path[i] {
			return false
		}
	}
	return len(path) == len(f.segments)
}

func (fs *faultSet) pick(r *http.Request) *Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	path := split(strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3"))
	for _, f := range fs.list {
		if !f.matches(r.Method, path) || (f.Count > 0 && f.seen >= f.Skip+f.Count) {
			continue
		}
		f.seen++
		if f.seen > f.Skip {
			hit := f.Fault
			return &hit
		}
	}
	return nil
}

// faulty puts the faults in front of a handler.
func (s *Server) faulty(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := s.faults.pick(r)
		if f == nil {
			next.ServeHTTP(w, r)
			return
		}
		if f.Delay > 0 {
			timer := time.NewTimer(f.Delay)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-r.Context().Done():
				return
			}
		}
		f.strike(w, r, next)
	})
}

func (f *Fault) strike(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if f.CutRequestAt > 0 {
		r.Body = &cutReader{r: r.Body, left: f.CutRequestAt}
		next.ServeHTTP(&recorder{header: http.Header{}}, r)
		panic(http.ErrAbortHandler) // net/http's way to close a connection
	}
	if f.CutAfter > 0 || (f.Late && (f.Cut || f.Status != 0)) {
		rec := &recorder{header: http.Header{}, status: http.StatusOK}
		next.ServeHTTP(rec, r)
		if f.CutAfter > 0 {
			cutAnswer(w, rec, f.CutAfter)
		}
	}
	if f.Cut {
		panic(http.ErrAbortHandler)
	}
	if f.Status == 0 {
		next.ServeHTTP(w, r) // a delay only
		return
	}
	for k, v := range f.Header {
		w.Header()[http.CanonicalHeaderKey(k)] = v
	}
	body := f.Body
	if body == "" {
		body = `{"message":"` + http.StatusText(f.Status) + `","documentation_url":"` + docs + `"}`
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(f.Status)
	_, _ = io.WriteString(w, body)
}

// cutAnswer sends part of an answer that promises more, then hangs up.
func cutAnswer(w http.ResponseWriter, rec *recorder, bytes int64) {
	for k, v := range rec.header {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.status)
	data := rec.body.Bytes()
	_, _ = w.Write(data[:min(int64(len(data)), bytes)])
	if flusher, ok := w.(http.Flusher); ok {
		flusher.Flush()
	}
	panic(http.ErrAbortHandler)
}

// recorder keeps an answer instead of sending it.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

var errCut = errors.New("the connection was cut")

// cutReader breaks off after a number of bytes.
type cutReader struct {
	r    io.ReadCloser
	left int64
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errCut
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

func (c *cutReader) Close() error { return c.r.Close() }
