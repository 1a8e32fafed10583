package smoke

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox/service"
	"github.com/fettle-dev/fettle/bot/settings"
)

const (
	inside     = "/run/fettle-smoke"
	clientWord = "zz-fettle-smoke-client"
	maxReply   = 256 << 10
)

// init makes a process that was started under the client's word the client. Any
// other pays two comparisons.
func init() {
	if len(os.Args) == 2 && os.Args[1] == clientWord {
		service.Guard()
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

// dying is how long a service that broke a connection may take to be seen dead.
const dying = 2 * time.Second

func ask(req request) answer {
	addr := fmt.Sprintf("127.0.0.1:%d", req.Smoke.Port)
	s, err := service.Start(service.Config{
		Argv: req.Smoke.Start, Env: service.Environ(fmt.Sprintf("PORT=%d", req.Smoke.Port)), Addr: addr, Path: req.Smoke.Ready, Within: req.Smoke.Within,
	})
	if err != nil {
		return answer{Broken: "the service " + err.Error()}
	}
	defer s.End()
	if err := s.Wait(); err != nil {
		return answer{Late: errors.Is(err, service.ErrLate), Broken: "the service " + err.Error(), Log: s.Log.Text()}
	}
	out := answer{Ready: true}
	for _, sc := range req.Smoke.Scenarios {
		r := one(s.Log, addr, sc, req.Each)
		out.Replies = append(out.Replies, r)
		dead := s.Dead()
		if r.Error != "" && !r.Late && out.Broken == "" {
			dead = s.Dies(dying)
		}
		if dead && out.Broken == "" {
			out.Broken, out.Log = fmt.Sprintf("the service ended during %s: %s", sc.Name, s.How()), s.Log.Text()
		}
	}
	return out
}

func one(log *service.Ring, addr string, sc settings.Scenario, each time.Duration) (r reply) {
	log.Mark()
	defer func() {
		if r.Error != "" || r.Status >= http.StatusInternalServerError { // its words may come after its answer
			log.Settle(200 * time.Millisecond)
		}
		r.Log = log.Text()
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
	res, err := service.Client.Do(req)
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
