package simulator

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"
)

// app is the App that this GitHub knows: the one of its configuration, or the
// last one that somebody created by a manifest, which stands in the state.
type app struct {
	ID           int64             `json:"id"`
	Slug         string            `json:"slug"`
	Name         string            `json:"name"`
	Owner        string            `json:"owner"`
	Organisation bool              `json:"organisation,omitempty"` // the owner is one
	Home         string            `json:"home"`
	Permissions  map[string]string `json:"permissions"`
	Events       []string          `json:"events"`
	CreatedAt    time.Time         `json:"created_at"`
	Key          []byte            `json:"key"` // PEM
	WebhookURL   string            `json:"webhook_url"`
	Secret       string            `json:"secret"`
	ClientSecret string            `json:"client_secret"`
}

// configured is the App of the configuration.
func (s *Server) configured(key []byte) *app {
	return &app{ID: s.cfg.AppID, Slug: s.cfg.AppSlug, Name: s.cfg.AppSlug, Owner: s.cfg.AppSlug + "-owner", Home: s.url, Permissions: s.cfg.Permissions,
		Events: appEvents, CreatedAt: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), Key: key}
}

// become makes an App the one that is known here. Call it with s.mu held.
func (s *Server) become(a *app) error {
	block, _ := pem.Decode(a.Key)
	if block == nil {
		return fmt.Errorf("the key of the App %s is not PEM; remove the simulator's state", a.Slug)
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		return fmt.Errorf("the key of the App %s is no RSA key: %w; remove the simulator's state", a.Slug, err)
	}
	s.app, s.key = a, key
	s.hooks.mu.Lock()
	s.hooks.appID = a.ID
	s.hooks.mu.Unlock()
	return nil
}

func encodeKey(key *rsa.PrivateKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
}

// hears tells whether the App gets an event. Some come without being asked for.
func (a *app) hears(event string) bool {
	if event == "ping" || event == "installation" || event == "installation_repositories" {
		return true
	}
	for _, e := range a.Events {
		if e == event {
			return true
		}
	}
	return false
}

// appOwner is whom the App belongs to, as the API shows it.
func (s *Server) appOwner(a *app) obj {
	owner := s.user(a.Owner)
	if a.Organisation {
		owner["type"] = "Organization"
	}
	return owner
}

// appShape is the App itself.
func (s *Server) appShape(a *app) obj {
	home := s.url + "/apps/" + a.Slug
	if s.cfg.Enterprise != "" {
		home = s.url + "/github-apps/" + a.Slug
	}
	return obj{"id": a.ID, "client_id": fmt.Sprintf("Iv1.%016x", a.ID), "slug": a.Slug,
		"node_id": nodeID("A", a.ID), "owner": s.appOwner(a), "name": a.Name,
		"description": nil, "external_url": a.Home, "html_url": home, "created_at": stamp(a.CreatedAt),
		"updated_at": stamp(a.CreatedAt), "permissions": a.Permissions, "events": a.Events}
}

// AppID is the id of the App that is known here.
func (s *Server) AppID() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.app.ID
}

// PrivateKeyPEM is the App's private key, as GitHub hands it out.
func (s *Server) PrivateKeyPEM() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.app.Key...)
}

// WebhookSecret is what deliveries are signed with.
func (s *Server) WebhookSecret() string {
	_, secret := s.hooks.target()
	return secret
}

// Install puts the App on an account, as its owner would.
func (s *Server) Install(owner string) error {
	s.mu.Lock()
	known := false
	for _, r := range s.state.repos() {
		known = known || r.Owner == owner
	}
	if known && s.state.installationOf(owner) == nil {
		s.install(owner)
	}
	s.mu.Unlock()
	if !known {
		return fmt.Errorf("there is no account %q with a repository here", owner)
	}
	return s.save()
}

// install makes the installation. Call it with s.mu held.
func (s *Server) install(owner string) {
	in := &installation{ID: s.state.nextID(), Account: owner, CreatedAt: s.now()}
	s.state.Installations = append(s.state.Installations, in)
	s.changed()
	s.installationEvent(in, "created")
}

// getHook answers what the App's webhook is.
func (s *Server) getHook(*call) (answer, error) {
	url, secret := s.hooks.target()
	out := obj{"content_type": "json", "insecure_ssl": "0", "url": url}
	if secret != "" {
		out["secret"] = "********"
	}
	return ok(out)
}
