package bot_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/store"
)

// TestAlertsOfDeliveriesThatWereGivenUpAreSignedAndSentOnce: whichever server sees them.
func TestAlertsOfDeliveriesThatWereGivenUpAreSignedAndSentOnce(t *testing.T) {
	t.Parallel()
	const key = "a key for signatures"
	var mu sync.Mutex
	var heard []string
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write(body)
		if got := r.Header.Get("X-Fettle-Signature-256"); got != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("signed %q", got)
		}
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, string(body))
	}))
	t.Cleanup(hook.Close)
	dir := t.TempDir()
	for name, text := range map[string]string{"hook": hook.URL, "key": key, "heal.yml": "alerts: {webhook_file: hook, secret_file: key}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(t.Context(), filepath.Join(dir, "fettle.db"), store.Config{Log: nobody(), MaxTries: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	policy, err := heal.OpenPolicy(filepath.Join(dir, "heal.yml"), nobody())
	if err != nil {
		t.Fatal(err)
	}
	server := func() *bot.App {
		return bot.NewApp(bot.New(bot.Config{Store: db, Log: nobody(), Heal: heal.New(heal.Config{Store: db, Policy: policy, Log: nobody()})}), bot.AppConfig{})
	}
	for _, id := range []string{"one", "two", "good"} {
		if _, err := db.Accept(t.Context(), store.Delivery{ID: id, Event: "issues", ReceivedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	working, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		err := db.Work(working, store.Handlers{Run: func(context.Context) (bool, error) { return false, nil }, Delivery: func(_ context.Context, id string) error {
			if id == "good" {
				return nil
			}
			return errors.New("it went wrong")
		}}, 1)
		if err != nil {
			t.Error(err)
		}
	})
	for {
		failed, err := db.FailedDeliveries(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if len(failed) == 2 {
			break
		}
		time.Sleep(20 * time.Millisecond) // polling, not synchronisation
	}
	stop()
	work.Wait()
	for range 2 {
		if err := server().TellGivenUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var said struct {
		Text, Kind string
		Deliveries []string
	}
	if len(heard) != 1 || json.Unmarshal([]byte(heard[0]), &said) != nil || said.Kind != "delivery" || len(said.Deliveries) != 2 || !strings.Contains(said.Text, "it went wrong") {
		t.Errorf("heard %q", heard)
	}
}
