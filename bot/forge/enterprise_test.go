package forge_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/redact"
)

func TestS1AnEnterpriseServersAuthorityIsTrustedWhereItIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(cfg *simulator.Config) { cfg.Enterprise = "3.14.0" })
	ctx := context.Background()
	if _, err := w.client.Repo(ctx, w.repo); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an authority that nobody named: %v", err)
	}
	ca, err := os.ReadFile(w.sim.CAFile())
	ok(t, err)
	cfg := forge.Config{AppID: w.sim.AppID(), PrivateKey: w.sim.PrivateKeyPEM(), BaseURL: w.sim.URL(), CA: ca, Funnel: redact.New(), RetryPause: time.Millisecond, MarkerKey: []byte("a key of sixteen")}
	c, err := forge.New(cfg)
	ok(t, err)
	for _, draft := range []bool{true, false} { // the second needs GraphQL, at /api/graphql
		_, err = w.publish(ctx, c, draft)
		ok(t, err)
		w.stands(draft)
	}
	if all, err := c.Deliveries(ctx, time.Now().Add(-time.Hour), 10); err != nil || len(all) != 0 {
		t.Errorf("%v %v", all, err)
	}
	cfg.CA = []byte("not PEM")
	if _, err = forge.New(cfg); err == nil || !strings.Contains(err.Error(), "github.ca_file") {
		t.Errorf("a file without a certificate: %v", err)
	}
}
