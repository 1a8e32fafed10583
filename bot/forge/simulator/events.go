package simulator

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
)

// emitIssue sends an issues event, or the same as a pull_request event when
// the issue is one. Call with s.mu held.
func (s *Server) emitIssue(r *repository, i *issue, action, actor string, extra obj) {
	if i.Pull != nil {
		if err := s.emitPull(context.Background(), r, i, action, actor, extra); err != nil {
			s.cfg.Log.WithError(err).Error("simulator: describing a pull request for its webhook")
		}
		return
	}
	payload := obj{"action": action, "issue": s.issueShape(r, i)}
	maps.Copy(payload, extra)
	s.emit(r, "issues", action, actor, payload)
}

func (s *Server) emitComment(r *repository, i *issue, c *comment, action, actor string, extra obj) {
	payload := obj{"action": action, "issue": s.issueShape(r, i), "comment": s.commentShape(r, i, c)}
	maps.Copy(payload, extra)
	s.emit(r, "issue_comment", action, actor, payload)
}

func (s *Server) emitPull(ctx context.Context, r *repository, i *issue, action, actor string, extra obj) error {
	shape, err := s.fullPull(ctx, r, i)
	if err != nil {
		return err
	}
	payload := obj{"action": action, "number": i.Number, "pull_request": shape}
	if action == "edited" {
		payload["changes"] = obj{}
	}
	maps.Copy(payload, extra)
	s.emit(r, "pull_request", action, actor, payload)
	return nil
}

// emit completes a payload and hands it to the queue of deliveries.
func (s *Server) emit(r *repository, name, action, actor string, payload obj) {
	if !s.hooks.wanted() || !s.app.hears(name) {
		return
	}
	d := Delivery{Event: name, Action: action}
	if r != nil {
		payload["repository"] = s.repoShape(r)
		d.Repository = r.ID
		if in := s.state.installationOf(r.Owner); in != nil {
			payload["installation"] = obj{"id": in.ID, "node_id": nodeID("MDIzO", in.ID)}
			d.Installation = in.ID
		}
	}
	if in, ok := payload["installation"].(obj); ok && r == nil {
		d.Installation, _ = in["id"].(int64)
	}
	if actor != "" {
		payload["sender"] = s.user(actor)
	}
	body, err := json.Marshal(payload)
	if err != nil {
		s.cfg.Log.WithError(err).Error("simulator: encoding a webhook")
		return
	}
	d.ID = s.state.nextID()
	d.GUID = guid(d.ID, body)
	s.changed()
	s.hooks.send(d, body)
}

// guid is a stable UUID for a delivery.
func guid(id int64, body []byte) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%d %s", id, body))
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// Ping sends the event with which GitHub greets a new webhook.
func (s *Server) Ping() error {
	s.mu.Lock()
	id := s.app.ID + 100
	url, _ := s.hooks.target()
	payload := obj{"zen": "Design for failure.", "hook_id": id, "hook": obj{"type": "App", "id": id, "name": "web", "active": true,
		"app_id": s.app.ID, "events": s.app.Events, "created_at": stamp(s.now()), "updated_at": stamp(s.now()),
		"config":         obj{"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": url},
		"deliveries_url": s.api("/app/hook/deliveries")}}
	s.emit(nil, "ping", "", "", payload)
	s.mu.Unlock()
	return s.save()
}
