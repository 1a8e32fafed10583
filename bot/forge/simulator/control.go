package simulator

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// command is the body of every POST to /_simulator/…; each takes what it needs.
type command struct {
	Owner      string   `json:"owner"`
	Name       string   `json:"name"`
	Number     int      `json:"number"`
	Title      string   `json:"title"`
	Body       string   `json:"body"`
	Actor      string   `json:"actor"`
	Label      string   `json:"label"`
	Labels     []string `json:"labels"`
	Login      string   `json:"login"`
	Permission string   `json:"permission"`
	Dir        string   `json:"dir"`
	URL        string   `json:"url"`
	Secret     string   `json:"secret"`
	ID         int64    `json:"id"`
	Branch     string   `json:"branch"`
	Path       string   `json:"path"`
	Content    *string  `json:"content"`
	Message    string   `json:"message"`
	Suspended  bool     `json:"suspended"`
	Protected  bool     `json:"protected"`
	Required   []string `json:"required"`
	Verdict    string   `json:"verdict"`
	Remarks    []Remark `json:"remarks"`
	Check      string   `json:"check"`
	Conclusion string   `json:"conclusion"`
	Summary    string   `json:"summary"`
	App        string   `json:"app"`
	Head       string   `json:"head"`
	Base       string   `json:"base"`
	Draft      bool     `json:"draft"`
	To         string   `json:"to"`
	Locked     bool     `json:"locked"`
}

// control lets another process do what the Go methods do, below guarded. It
// answers 200 with JSON, or 400 with {"error": …}.
func (s *Server) control() http.Handler {
	mux := http.NewServeMux()
	for path, do := range s.orders() {
		mux.HandleFunc("POST /_simulator/"+path, func(w http.ResponseWriter, r *http.Request) {
			var o command
			if err := decodeStrict(r, &o); err != nil {
				reply(w, nil, err)
				return
			}
			out, err := do(o)
			reply(w, out, err)
		})
	}
	mux.HandleFunc("POST /_simulator/faults", func(w http.ResponseWriter, r *http.Request) {
		var f Fault
		err := decodeStrict(r, &f)
		if err == nil {
			s.Fault(f)
		}
		reply(w, nil, err)
	})
	mux.HandleFunc("DELETE /_simulator/faults", func(w http.ResponseWriter, _ *http.Request) {
		s.ClearFaults()
		reply(w, nil, nil)
	})
	mux.HandleFunc("GET /_simulator/snapshot", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		snap := s.Snapshot(q.Get("owner"), q.Get("name"))
		if snap.Repository == "" {
			reply(w, nil, fmt.Errorf("no repository %s/%s", q.Get("owner"), q.Get("name")))
			return
		}
		reply(w, snap, nil)
	})
	mux.HandleFunc("GET /_simulator/deliveries", func(w http.ResponseWriter, _ *http.Request) { reply(w, s.Deliveries(), nil) })
	mux.HandleFunc("GET /_simulator/calls", func(w http.ResponseWriter, _ *http.Request) { reply(w, s.Calls(), nil) })
	mux.HandleFunc("GET /_simulator/settle", func(w http.ResponseWriter, r *http.Request) { reply(w, nil, s.Settle(r.Context())) })
	mux.HandleFunc("GET /_simulator/app", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		a := s.app
		s.mu.Unlock()
		reply(w, obj{"app_id": a.ID, "slug": a.Slug, "url": s.url, "private_key": string(a.Key)}, nil)
	})
	return mux
}

// guarded lets only those control the simulator who know its token, and no web
// page: a page of anybody can make a browser on this machine send requests here.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		site := r.Header.Get("Sec-Fetch-Site")
		switch {
		case r.Header.Get("Origin") != "" || site != "" && site != "none":
			http.Error(w, "web pages may not control the simulator", http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(token), []byte(s.controlToken)) != 1:
			w.Header().Set("WWW-Authenticate", `Bearer realm="simulator"`)
			http.Error(w, "control calls need the token that the simulator printed at its start: Authorization: Bearer TOKEN", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// loopbackHost tells whether a request was meant for an address of this machine,
// and not for a name that somebody made lead here.
func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

type deed func(o command) (any, error)

// orders are what can be done, by the last part of a control call's path.
func (s *Server) orders() map[string]deed {
	all := map[string]deed{}
	post := func(path string, do deed) { all[path] = do }
	s.issueOrders(post)
	s.otherOrders(post)
	return all
}

func (s *Server) issueOrders(post func(string, deed)) {
	post("issues", func(o command) (any, error) {
		n, err := s.OpenIssueLabelled(o.Owner, o.Name, o.Title, o.Body, o.Actor, o.Labels)
		return obj{"number": n}, err
	})
	post("label", func(o command) (any, error) { return nil, s.Label(o.Owner, o.Name, o.Number, o.Label, o.Actor) })
	post("unlabel", func(o command) (any, error) { return nil, s.Unlabel(o.Owner, o.Name, o.Number, o.Label, o.Actor) })
	post("close", func(o command) (any, error) { return nil, s.CloseIssue(o.Owner, o.Name, o.Number, o.Actor) })
	post("reopen", func(o command) (any, error) { return nil, s.ReopenIssue(o.Owner, o.Name, o.Number, o.Actor) })
	post("edit", func(o command) (any, error) {
		return nil, s.EditIssue(o.Owner, o.Name, o.Number, o.Title, o.Body, o.Actor)
	})
	post("comment", func(o command) (any, error) {
		id, err := s.Comment(o.Owner, o.Name, o.Number, o.Body, o.Actor)
		return obj{"id": id}, err
	})
	post("review", func(o command) (any, error) {
		id, err := s.Review(o.Owner, o.Name, o.Number, o.Verdict, o.Body, o.Actor, o.Remarks...)
		return obj{"id": id}, err
	})
	post("reply", func(o command) (any, error) {
		id, err := s.Reply(o.Owner, o.Name, o.Number, o.ID, o.Body, o.Actor)
		return obj{"id": id}, err
	})
	post("resolve", func(o command) (any, error) { return nil, s.Resolve(o.Owner, o.Name, o.Number, o.ID, o.Actor) })
	post("pull", func(o command) (any, error) {
		n, err := s.OpenPull(o.Owner, o.Name, o.Title, o.Body, o.Head, o.Base, o.Actor, o.Draft)
		return obj{"number": n}, err
	})
	post("ready", func(o command) (any, error) { return nil, s.Ready(o.Owner, o.Name, o.Number, o.Draft, o.Actor) })
	post("edit-comment", func(o command) (any, error) { return nil, s.EditComment(o.Owner, o.Name, o.ID, o.Body, o.Actor) })
	post("lock", func(o command) (any, error) { return nil, s.Lock(o.Owner, o.Name, o.Number, o.Locked, o.Actor) })
	post("delete-issue", func(o command) (any, error) { return nil, s.DeleteIssue(o.Owner, o.Name, o.Number, o.Actor) })
	post("transfer", func(o command) (any, error) {
		n, err := s.TransferIssue(o.Owner, o.Name, o.Number, o.To, o.Actor)
		return obj{"number": n}, err
	})
	post("merge", func(o command) (any, error) { return nil, s.MergePull(o.Owner, o.Name, o.Number, o.Actor) })
}

func (s *Server) otherOrders(post func(string, deed)) {
	post("repos", func(o command) (any, error) { return nil, s.AddRepo(o.Owner, o.Name, o.Dir) })
	post("permission", func(o command) (any, error) { return nil, s.SetPermission(o.Owner, o.Name, o.Login, o.Permission) })
	post("protected", func(o command) (any, error) { return nil, s.SetProtected(o.Owner, o.Name, o.Branch, o.Protected) })
	post("ruleset", func(o command) (any, error) { return nil, s.SetRuleset(o.Owner, o.Name, o.Branch, o.Protected) })
	post("required", func(o command) (any, error) { return nil, s.SetRequired(o.Owner, o.Name, o.Branch, o.Required...) })
	post("install", func(o command) (any, error) { return nil, s.Install(o.Owner) })
	post("commit", func(o command) (any, error) {
		var content []byte
		if o.Content != nil {
			content = []byte(*o.Content)
		}
		sha, err := s.CommitFile(o.Owner, o.Name, o.Branch, o.Path, content, o.Message, o.Actor)
		return obj{"sha": sha}, err
	})
	post("check", func(o command) (any, error) {
		return nil, s.SetCheck(o.Owner, o.Name, o.Branch, o.Check, o.Conclusion, o.Title, o.Summary, o.App)
	})
	post("rename", func(o command) (any, error) { return nil, s.Rename(o.Owner, o.Name, o.To, o.Actor) })
	post("rename-branch", func(o command) (any, error) { return nil, s.RenameBranch(o.Owner, o.Name, o.Branch, o.To, o.Actor) })
	post("archive", func(o command) (any, error) { return nil, s.Archive(o.Owner, o.Name, o.Actor) })
	post("delete-branch", func(o command) (any, error) { return nil, s.DeleteBranch(o.Owner, o.Name, o.Branch, o.Actor) })
	post("suspend", func(o command) (any, error) { return nil, s.Suspend(o.Owner, o.Suspended) })
	post("uninstall", func(o command) (any, error) { return nil, s.Uninstall(o.Owner) })
	post("expire-tokens", func(command) (any, error) { return nil, s.ExpireTokens() })
	post("webhook", func(o command) (any, error) {
		s.SetWebhook(o.URL, o.Secret)
		return nil, nil
	})
	post("ping", func(command) (any, error) { return nil, s.Ping() })
	post("redeliver", func(o command) (any, error) { return nil, s.Redeliver(o.ID) })
}

func decodeStrict(r *http.Request, into any) error {
	data, err := readBody(r)
	if err != nil || len(data) == 0 {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("the body is not the JSON that is expected here: %w", err)
	}
	return nil
}

func reply(w http.ResponseWriter, body any, err error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		body = obj{"error": err.Error()}
	} else if body == nil {
		body = obj{"ok": true}
	}
	_ = json.NewEncoder(w).Encode(body) // the client may have gone
}
