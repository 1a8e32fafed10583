package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
)

// Grant is what a token allows.
type Grant struct {
	Name     string      `json:"name"`
	Operator bool        `json:"operator,omitempty"` // may act, beside reading
	Scope    store.Scope `json:"scope"`
}

// sessionFor is how long a sign-in lasts.
const sessionFor = 12 * time.Hour

// tokenMark stands before each token, so that scanners know one when they see it.
const tokenMark = "fettle_"

// NewToken makes a token and stores its hash with what it allows. The token itself is
// nowhere but in the answer.
func NewToken(ctx context.Context, db *store.Store, g Grant) (string, error) {
	if g.Name == "" || len(g.Name) > 100 || strings.ContainsFunc(g.Name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", errors.New("a token needs a name of at most 100 characters")
	}
	body, err := json.Marshal(g)
	if err != nil {
		return "", err
	}
	token := tokenMark + rand.Text() + rand.Text()
	return token, db.KeepLogin(ctx, store.Login{Hash: hash(token), Kind: store.LoginToken, Name: g.Name, Body: body})
}

// hash needs no salt: what it is made of is random and long.
func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// session is what is stored of a sign-in: the token that it was made with. A token that
// is taken back ends its sessions.
type session struct {
	Token string `json:"token"` // hash
}

// visitor is who asks.
type visitor struct {
	Grant
	secret string // of the session's cookie; "" for a token
}

// CSRF is what a form of the session has to bring.
func (v visitor) CSRF() string {
	if v.secret == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(v.secret))
	mac.Write([]byte("csrf"))
	return hex.EncodeToString(mac.Sum(nil))
}

// whose tells who asks; without a name it is nobody. An error is the database's.
func (s *Server) whose(r *http.Request) (v visitor, err error) {
	if word, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(word, "Bearer") {
		v.Grant, err = s.grant(r.Context(), hash(strings.TrimSpace(token)))
		return v, err
	}
	for _, name := range []string{cookieSecure, cookiePlain} {
		c, cerr := r.Cookie(name)
		if cerr != nil || len(c.Value) > 200 {
			continue
		}
		l, err := s.cfg.Store.Login(r.Context(), store.LoginSession, hash(c.Value))
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		var made session
		if err == nil {
			err = json.Unmarshal(l.Body, &made)
		}
		if err != nil {
			return v, err
		}
		v.Grant, err = s.grant(r.Context(), made.Token)
		v.secret = c.Value
		return v, err
	}
	return v, nil
}

// visitor is whose for pages that anybody sees.
func (s *Server) visitor(r *http.Request) visitor {
	v, err := s.whose(r)
	if err != nil {
		return visitor{}
	}
	return v
}

func (s *Server) grant(ctx context.Context, hash string) (g Grant, err error) {
	l, err := s.cfg.Store.Login(ctx, store.LoginToken, hash)
	if errors.Is(err, store.ErrNotFound) {
		return g, nil
	}
	if err == nil {
		err = json.Unmarshal(l.Body, &g)
	}
	return g, err
}

// mayPost refuses a change that the visitor may not ask for, or may not know that they ask for.
func (q *request) mayPost() error {
	if q.Method == http.MethodGet || q.Method == http.MethodHead {
		return nil
	}
	q.Body = http.MaxBytesReader(q.w, q.Body, 1<<20)
	if want := q.v.CSRF(); want != "" {
		got := q.Header.Get("X-CSRF-Token")
		if got == "" && !wantsJSON(q.Request) {
			got = q.PostFormValue("csrf")
		}
		if subtle.ConstantTimeCompare([]byte(got), []byte(want)) != 1 {
			return &problem{Status: http.StatusForbidden, Title: "The form is not of this session", Detail: "Load the page again and send it once more."}
		}
	}
	if !q.v.Operator {
		return &problem{Status: http.StatusForbidden, Title: "Reading only", Detail: "This token may look and not act; an operator's may."}
	}
	return nil
}

// The cookie's names. The first is refused by browsers unless it is Secure, for this host
// alone; the second is for a server on this machine without TLS.
const (
	cookieSecure = "__Host-fettle"
	cookiePlain  = "fettle"
)

func cookie(r *http.Request, value string, age time.Duration) *http.Cookie {
	c := &http.Cookie{Name: cookieSecure, Value: value, Path: "/", HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode, MaxAge: int(age.Seconds())} //nolint:gosec // Secure is taken off below for a server on this machine alone
	if r.TLS == nil && loopback(r.Host) {
		c.Name, c.Secure = cookiePlain, false
	}
	return c
}

func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// ours is the path of a page here, or "/": nobody is sent elsewhere after a sign-in.
func ours(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

type loginView struct{ Next, Error string }

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	s.showLogin(w, r, http.StatusOK, "")
}

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request, code int, words string) {
	if err := s.render(w, r, code, "login", view{Title: "Sign in", Data: loginView{Next: s.cfg.Funnel.Log(ours(r.FormValue("next"))), Error: words}}); err != nil {
		s.fail(w, r, err)
	}
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	token := hash(strings.TrimSpace(r.PostFormValue("token")))
	g, err := s.grant(r.Context(), token)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if g.Name == "" {
		s.showLogin(w, r, http.StatusForbidden, "No such token. One is made by 'fettle serve --new-token NAME'.")
		return
	}
	body, err := json.Marshal(session{Token: token})
	secret := rand.Text() + rand.Text()
	if err == nil {
		err = s.cfg.Store.KeepLogin(r.Context(), store.Login{Hash: hash(secret), Kind: store.LoginSession, Body: body, EndsAt: s.cfg.Now().Add(sessionFor)})
	}
	if err != nil {
		s.fail(w, r, fmt.Errorf("keeping a session: %w", err))
		return
	}
	http.SetCookie(w, cookie(r, secret, sessionFor))
	http.Redirect(w, r, ours(r.PostFormValue("next")), http.StatusSeeOther) //nolint:gosec // ours gives paths of this server only
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if v := s.visitor(r); v.secret != "" {
		if subtle.ConstantTimeCompare([]byte(r.PostFormValue("csrf")), []byte(v.CSRF())) != 1 {
			s.fail(w, r, &problem{Status: http.StatusForbidden, Title: "The form is not of this session"})
			return
		}
		if _, err := s.cfg.Store.DropLogins(r.Context(), store.LoginSession, hash(v.secret), ""); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	http.SetCookie(w, cookie(r, "", -time.Second))
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
