package simulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The forms on the pages do what the calls below /_simulator/ do. Whoever opened
// the address that was printed at the start has a session; each form also holds a
// token that no other page can read, and a request that another page makes is
// refused by where it says that it comes from.

// sign derives a secret for one use from the control token, which itself is in no
// cookie and on no page: a browser shows its cookies to every port of this machine.
func (s *Server) sign(use string) string {
	mac := hmac.New(sha256.New, []byte(s.controlToken))
	mac.Write([]byte(use))
	return hex.EncodeToString(mac.Sum(nil))
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (s *Server) cookieName() string {
	return "simulator_" + s.url[strings.LastIndexByte(s.url, ':')+1:] // a cookie is sent to every port
}

// EntryURL is the address that a person opens to act on the pages.
func (s *Server) EntryURL() string { return s.url + "/_enter?token=" + s.controlToken }

// enter gives a browser its session.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if !same(r.URL.Query().Get("token"), s.controlToken) {
		http.Error(w, "this is not the address that the simulator printed at its start", http.StatusForbidden)
		return
	}
	//nolint:gosec // on loopback, in the clear, unless it is an Enterprise Server
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: s.sign("session"), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(s.url, "https:")})
	w.Header().Set("Referrer-Policy", "no-referrer")
	// a redirect would be a request of the site that led here, without the cookie
	harden(w, "text/html; charset=utf-8")
	_, _ = fmt.Fprint(w, `<!doctype html><title>simulator</title><link rel="stylesheet" href="/_style.css"><main><h1>You can act on the pages now</h1><p><a href="/">Go to the repositories</a></p></main>`)
}

func (s *Server) mayAct(r *http.Request) bool {
	c, err := r.Cookie(s.cookieName())
	return err == nil && same(c.Value, s.sign("session"))
}

// mine tells whether a form was sent by a page of this simulator in the session of
// somebody who may act; it answers where not.
func (s *Server) mine(w http.ResponseWriter, r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	origin, err := url.Parse(r.Header.Get("Origin"))
	r.Body = http.MaxBytesReader(w, r.Body, 4<<20)
	switch {
	case err != nil || origin.Host != r.Host || site != "" && site != "same-origin":
		http.Error(w, "only the simulator's own pages may act here", http.StatusForbidden)
	case !s.mayAct(r):
		http.Error(w, "open the address that the simulator printed at its start, then try again", http.StatusForbidden)
	case r.ParseForm() != nil || !same(r.PostForm.Get("form"), s.sign("form")):
		http.Error(w, "the form is incomplete or of an earlier start; reload its page and try again", http.StatusForbidden)
	default:
		return true
	}
	return false
}

// act takes what a form sends.
func (s *Server) act(orders map[string]deed) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.mine(w, r) {
			return
		}
		do, known := orders[r.PathValue("order")]
		if !known || slices.Contains([]string{"repos", "webhook"}, r.PathValue("order")) {
			http.NotFound(w, r)
			return
		}
		var out any
		o, err := commandOf(r.PostForm)
		if err == nil {
			out, err = do(o)
		}
		back := r.PostForm.Get("back")
		if !strings.HasPrefix(back, "/") || strings.HasPrefix(back, "//") || strings.ContainsAny(back, "\\\r\n") {
			back = "/"
		}
		if err != nil {
			s.failed(w, r, back, err)
			return
		}
		if made, isObj := out.(obj); isObj && made["number"] != nil {
			back = fmt.Sprintf("/%s/%s/issues/%v", url.PathEscape(o.Owner), url.PathEscape(o.Name), made["number"])
		}
		http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // a path of this server, checked above
	}
}

// commandOf reads a form's fields, named as those of a control call.
func commandOf(form url.Values) (command, error) {
	fields := obj{}
	for name, values := range form {
		value := strings.ReplaceAll(values[0], "\r\n", "\n")
		switch name {
		case "form", "back", "remark_path", "remark_from", "remark_to", "remark_body":
		case "number", "id":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return command{}, fmt.Errorf("%s %q is not a number", name, value)
			}
			fields[name] = n
		case "draft", "locked", "suspended", "protected":
			fields[name] = value == "true"
		case "labels":
			fields[name] = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '\n' })
		case "content":
			if value != "" && !strings.HasSuffix(value, "\n") {
				value += "\n" // as an editor leaves a file
			}
			fields[name] = value
		default:
			fields[name] = value
		}
	}
	remarks, err := remarksOf(form)
	if err != nil {
		return command{}, err
	}
	fields["remarks"] = remarks
	data, err := json.Marshal(fields)
	if err != nil {
		return command{}, err
	}
	var o command
	if err := json.Unmarshal(data, &o); err != nil {
		return o, err
	}
	for i, l := range o.Labels {
		o.Labels[i] = strings.TrimSpace(l)
	}
	o.Labels = slices.DeleteFunc(o.Labels, func(l string) bool { return l == "" })
	return o, nil
}

// remarksOf reads the rows of a review; a row without words is left out.
func remarksOf(form url.Values) ([]Remark, error) {
	var out []Remark
	at := func(name string, i int) string {
		if i < len(form[name]) {
			return strings.TrimSpace(strings.ReplaceAll(form[name][i], "\r\n", "\n"))
		}
		return ""
	}
	for i := range form["remark_body"] {
		if at("remark_body", i) == "" {
			continue
		}
		from, err := strconv.Atoi(at("remark_from", i))
		if err != nil {
			return nil, fmt.Errorf("remark %d: line %q is not a number", i+1, at("remark_from", i))
		}
		m := Remark{Path: at("remark_path", i), Line: from, Body: at("remark_body", i)}
		if last := at("remark_to", i); last != "" {
			to, err := strconv.Atoi(last)
			if err != nil || to < from {
				return nil, fmt.Errorf("remark %d: the last line %q is not a number, or before the first", i+1, last)
			}
			if to > from {
				m.StartLine, m.Line = from, to
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// failed says what went wrong, and where to go on.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, back string, err error) {
	v := &view{Title: "not done", Data: map[string]string{"Error": err.Error(), "Back": back}}
	s.pager.renderStatus(w, r, http.StatusBadRequest, "failed", v, nil)
}

// people are who can be acted as: those that the repository knows, its owner first.
func (s *Server) people(r *repository) []string {
	seen := map[string]bool{strings.ToLower(r.Owner): true}
	var rest []string
	for login := range r.Permissions {
		if !seen[login] {
			seen[login] = true
			rest = append(rest, login)
		}
	}
	for login := range s.state.Users {
		if !seen[login] {
			rest = append(rest, login)
		}
	}
	sort.Strings(rest)
	return append([]string{r.Owner}, rest...)
}
