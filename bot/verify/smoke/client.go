package smoke

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/settings"
)

const (
	inside     = "/run/fettle-smoke"
	clientWord = "zz-fettle-smoke-client"
	maxReply   = 256 << 10
	maxLog     = 16 << 10 // of what the service says during a scenario, head and tail
)

// init makes a process that was started under the client's word the client. Any
// other pays two comparisons.
func init() {
	if len(os.Args) == 2 && os.Args[1] == clientWord {
		guard()
		os.Exit(serveClient(os.Stdin, os.Stdout))
	}
}

type request struct {
	Smoke settings.Smoke
	Each  time.Duration
}

// answer is all that the client says.
type answer struct {
	Ready   bool
	Late    bool   // the time for getting ready was over
	Broken  string // why nothing could be asked, or no more
	Log     string // what the service said by then
	Replies []reply
}

type reply struct {
	Status int
	Body   string // its beginning
	Has    bool   // the whole body holds what is expected
	Error  string
	Late   bool
	Log    string // what the service said meanwhile
}

func serveClient(in io.Reader, out io.Writer) int {
	var req request
	if err := json.NewDecoder(in).Decode(&req); err != nil {
		fmt.Fprintln(os.Stderr, "reading the scenarios:", err)
		return 2
	}
	res := ask(req)
	if err := json.NewEncoder(out).Encode(res); err != nil {
		return 1
	}
	return 0
}

// service is the started process.
type service struct {
	cmd  *exec.Cmd
	log  *ring
	over chan struct{} // closed when it ended
	err  error
}

func ask(req request) answer {
	addr := fmt.Sprintf("127.0.0.1:%d", req.Smoke.Port)
	l, err := net.Listen("tcp4", addr) //nolint:noctx // closed at once
	if err != nil {
		return answer{Broken: fmt.Sprintf("port %d is taken before the service starts: %v", req.Smoke.Port, err)}
	}
	_ = l.Close()
	s := &service{cmd: exec.Command(req.Smoke.Start[0], req.Smoke.Start[1:]...), log: &ring{}, over: make(chan struct{})} //nolint:noctx // it is killed below
	s.cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", req.Smoke.Port))
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.WaitDelay = s.log, s.log, time.Second
	group(s.cmd)
	if err := s.cmd.Start(); err != nil {
		return answer{Broken: fmt.Sprintf("the service cannot be started: %v", err)}
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.over)
	}()
	defer s.end()
	out := s.ready(req.Smoke, addr)
	if !out.Ready {
		return out
	}
	for _, sc := range req.Smoke.Scenarios {
		r := s.one(addr, sc, req.Each)
		out.Replies = append(out.Replies, r)
		if s.dead() && out.Broken == "" {
			out.Broken, out.Log = fmt.Sprintf("the service ended during %s: %s", sc.Name, s.how()), s.log.text()
		}
	}
	return out
}

// ready waits until the service answers.
func (s *service) ready(cfg settings.Smoke, addr string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), cfg.Within)
	defer cancel()
	last := "no connection was taken"
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		why := knock(ctx, addr, cfg.Ready)
		if why == "" && !s.dead() {
			return answer{Ready: true}
		}
		if ctx.Err() == nil && why != "" {
			last = why
		}
		select {
		case <-s.over:
			return answer{Broken: "the service ended before it was ready: " + s.how(), Log: s.log.text()}
		case <-ctx.Done():
			return answer{Late: true, Broken: fmt.Sprintf("the service was not ready within %s: %s", cfg.Within, last), Log: s.log.text()}
		case <-tick.C:
		}
	}
}

// knock says why the service is not ready, or "".
func knock(ctx context.Context, addr, path string) string {
	if path == "" {
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp4", addr)
		if err != nil {
			return err.Error()
		}
		_ = c.Close()
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		return err.Error()
	}
	res, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	_ = res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Sprintf("%s answered %d", path, res.StatusCode)
	}
	return ""
}

// client takes no proxy, follows nothing and keeps no connection: a scenario is
// one request.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (s *service) one(addr string, sc settings.Scenario, each time.Duration) (r reply) {
	s.log.mark()
	defer func() {
		if r.Error != "" || r.Status >= http.StatusInternalServerError { // its words may come after its answer
			s.log.settle(200 * time.Millisecond)
		}
		r.Log = s.log.text()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), each)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, sc.Method, "http://"+addr+sc.Path, strings.NewReader(sc.Body))
	if err != nil {
		return reply{Error: err.Error()}
	}
	for k, v := range sc.Headers {
		req.Header.Set(k, v)
		if strings.EqualFold(k, "Host") {
			req.Host = v
		}
	}
	res, err := client.Do(req)
	if err != nil {
		return reply{Error: strings.TrimPrefix(err.Error(), fmt.Sprintf("%s%s %q: ", sc.Method[:1], strings.ToLower(sc.Method[1:]), req.URL)), Late: errors.Is(err, context.DeadlineExceeded)}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
	text := string(bytes.ToValidUTF8(body, []byte("\uFFFD")))
	r = reply{Status: res.StatusCode, Body: strings.ToValidUTF8(text[:min(len(text), shownBody+1)], ""), Has: strings.Contains(text, sc.Contains)}
	if err != nil {
		r.Error, r.Late = "the answer was cut off: "+err.Error(), errors.Is(err, context.DeadlineExceeded)
	}
	return r
}

func (s *service) dead() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// how says how the service ended.
func (s *service) how() string {
	if s.err == nil {
		return "exit status 0"
	}
	return s.err.Error()
}

// end kills the service and all that it started.
func (s *service) end() {
	killGroup(s.cmd)
	select {
	case <-s.over:
	case <-time.After(3 * time.Second): // the sandbox ends what is left
	}
}
