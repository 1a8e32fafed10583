package simulator

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// newKey makes a key once: simulators of one process that have none share it, because a
// key takes longer to make than all else that one does to start.
var newKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// loadKey reads the App's private key, or makes one.
func loadKey(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key, err := newKey()
		if err != nil {
			return nil, fmt.Errorf("making the App's key: %w", err)
		}
		data = encodeKey(key)
		return data, writeFile(path, data, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the App's key: %w", err)
	}
	return data, nil
}

// credentials are what a request brought.
type credentials struct {
	scheme, value string
}

// credentialsOf reads Bearer, token and Basic (as git sends it).
func credentialsOf(r *http.Request) credentials {
	if _, password, ok := r.BasicAuth(); ok {
		return credentials{"basic", password}
	}
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return credentials{strings.ToLower(scheme), strings.TrimSpace(value)}
}

// verifyJWT checks an App's JSON web token as GitHub does: RS256, issuer,
// expiry at most ten minutes ahead, not issued in the future.
func (s *Server) verifyJWT(jwt string) error {
	undecodable := problem(http.StatusUnauthorized, "A JSON web token could not be decoded")
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return undecodable
	}
	var head struct{ Alg string }
	var claims struct {
		Iss      any
		Iat, Exp *json.Number
	}
	if decodePart(parts[0], &head) != nil || decodePart(parts[1], &claims) != nil || head.Alg != "RS256" {
		return undecodable
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return undecodable
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if rsa.VerifyPKCS1v15(&s.key.PublicKey, crypto.SHA256, sum[:], signature) != nil {
		return undecodable
	}
	if fmt.Sprint(claims.Iss) != strconv.FormatInt(s.app.ID, 10) {
		return problem(http.StatusNotFound, "Integration not found")
	}
	return s.verifyTimes(claims.Iat, claims.Exp)
}

func (s *Server) verifyTimes(iat, exp *json.Number) error {
	now := s.now()
	issued, err := unixOf(iat)
	if err != nil || issued.After(now.Add(time.Second)) {
		return problem(http.StatusUnauthorized, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	expires, err := unixOf(exp)
	if err != nil || !expires.After(now) {
		return problem(http.StatusUnauthorized, "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	}
	if expires.Sub(now) > 10*time.Minute+time.Second {
		return problem(http.StatusUnauthorized, "'Expiration time' claim ('exp') is too far in the future")
	}
	return nil
}

func decodePart(part string, into any) error {
	data, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	return dec.Decode(into)
}

func unixOf(n *json.Number) (time.Time, error) {
	if n == nil {
		return time.Time{}, errors.New("missing")
	}
	f, err := n.Float64()
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(int64(f), 0), nil
}

// mint makes an installation token of GitHub's shape. Only its hash is kept.
func (s *Server) mint(t *token) (string, error) {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	text := []byte("ghs_")
	for range 36 {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(letters))))
		if err != nil {
			return "", err
		}
		text = append(text, letters[n.Int64()])
	}
	for hash, old := range s.state.Tokens { // forget the long expired
		if old.ExpiresAt.Before(s.now().Add(-24 * time.Hour)) {
			delete(s.state.Tokens, hash)
		}
	}
	s.state.Tokens[hashOf(string(text))] = t
	return string(text), nil
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// tokenFor finds a token that is alive; nil when there is none.
func (s *Server) tokenFor(value string) *token {
	t := s.state.Tokens[hashOf(value)]
	if t == nil || !t.ExpiresAt.After(s.now()) {
		return nil
	}
	in := s.state.installation(t.Installation)
	if in == nil || in.Suspended {
		return nil
	}
	return t
}

// sees tells whether the token was made for a repository.
func (s *Server) sees(t *token, r *repository) bool {
	in := s.state.installation(t.Installation)
	if in == nil || !strings.EqualFold(in.Account, r.Owner) {
		return false
	}
	for _, id := range t.Repos {
		if id == r.ID {
			return true
		}
	}
	return len(t.Repos) == 0
}

// may tells whether the token holds one of the needed permissions, such as
// "issues:write|pull_requests:write".
func (t *token) may(need string) bool {
	for _, one := range strings.Split(need, "|") {
		name, level, _ := strings.Cut(one, ":")
		have := t.Permissions[name]
		if have == "admin" || have == "write" || (have == "read" && level == "read") {
			return true
		}
	}
	return need == ""
}
