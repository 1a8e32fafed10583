package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Why an endpoint did not say which models it offers.
var (
	ErrUnlisted = errors.New("it does not list its models")
	ErrKey      = errors.New("it refuses the key")
)

const (
	listTimeout = 10 * time.Second
	maxList     = 8 << 20 // bytes; the longest public list has some hundred entries
)

// Offer is what an endpoint lists.
type Offer struct {
	Models []string
	Ends   map[string]string // days on which models end, where the list says so
}

// Offered asks an endpoint for its models: GET BASE/models, as OpenAI's API has it.
// It costs nothing, and sends nothing but the key.
func (c *Client) Offered(ctx context.Context, ep Endpoint) (Offer, error) {
	e := newEndpoint(ep)
	if e.preset.Unlisted {
		return Offer{}, ErrUnlisted
	}
	key := ""
	if ep.APIKey != nil {
		var err error
		if key, err = ep.APIKey(); err != nil {
			return Offer{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	address := strings.TrimRight(ep.BaseURL, "/") + "/models" + e.preset.ListQuery
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Offer{}, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for name, value := range e.preset.ListHeader {
		req.Header.Set(name, strings.ReplaceAll(value, "KEY", key))
	}
	d := &doer{client: c.cfg.HTTP, document: true, key: key, keyHeader: e.preset.KeyHeader}
	resp, err := d.Do(req)
	if err != nil {
		return Offer{}, classify(ctx, ep.Tier, d, c.cfg.Now(), err).Err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden:
		return Offer{}, ErrKey
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return Offer{}, ErrUnlisted
	default:
		return Offer{}, fmt.Errorf("it answers %s", resp.Status)
	}
	var got struct {
		Data []struct {
			ID       string `json:"id"`
			Shutdown string `json:"shutdown_date"` // OpenAI says it
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxList)).Decode(&got); err != nil {
		return Offer{}, fmt.Errorf("its list of models is not one: %w", err)
	}
	out := Offer{Ends: map[string]string{}}
	for _, m := range got.Data {
		if m.ID == "" || len(m.ID) > 200 {
			continue
		}
		out.Models = append(out.Models, m.ID)
		if m.Shutdown != "" {
			out.Ends[m.ID] = m.Shutdown
		}
	}
	if len(out.Models) == 0 {
		return Offer{}, ErrUnlisted
	}
	return out, nil
}
