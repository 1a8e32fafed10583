package bot

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fettle-dev/fettle/bot/settings"
)

// What an operator has to know at once goes to the webhook that heal.yml names, beside
// the log: breakers, caps that hold runs back, deliveries that were given up, providers
// that are down.

const (
	alertWithin = 5 * time.Second // of one post; it is tried once: the log has everything
	outageAgain = time.Hour       // until a provider that is still down is told of again
	givenUpFor  = 24 * time.Hour  // deliveries that were given up longer ago are old news
)

// alertOnce is alert, at most once in a while for what has the same key, whichever
// server sees it.
func (b *Bot) alertOnce(ctx context.Context, kind, key string, every time.Duration, words string, detail any) {
	if b.cfg.Heal == nil || b.cfg.Heal.Alerts().WebhookFile == "" {
		return
	}
	mine, err := b.cfg.Store.Turn(ctx, "alert "+kind+" "+key, every)
	if err != nil {
		b.cfg.Log.WithError(err).Warn("whose turn an alert is could not be asked")
		return
	}
	if mine {
		b.alert(ctx, kind, words, detail)
	}
}

// alert posts to the operator's webhook. That it is not reached is said in the log.
func (b *Bot) alert(ctx context.Context, kind, words string, detail any) {
	to := b.cfg.Heal.Alerts()
	if to.WebhookFile == "" {
		return
	}
	ctx, done := context.WithTimeout(ctx, alertWithin)
	defer done()
	body, err := b.notice(kind, words, detail)
	if err == nil {
		err = post(ctx, to, body)
	}
	if err != nil {
		b.cfg.Log.WithField("alert", kind).WithError(err).Warn("the webhook of heal.yml was not reached")
	}
}

// notice is the body of a post: the detail's fields, the text that chat services show,
// the kind (breaker, cap, delivery or provider) and the time.
func (b *Bot) notice(kind, words string, detail any) ([]byte, error) {
	raw, err := json.Marshal(detail)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{"at": b.cfg.Now().UTC()}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	fields["text"], fields["kind"] = "fettle: "+words, kind
	return json.Marshal(fields)
}

func post(ctx context.Context, to settings.Alerts, body []byte) error {
	urls, err := settings.Secrets(to.WebhookFile)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, string(urls[0]), bytes.NewReader(body))
	if err != nil {
		return errors.New("the URL in " + to.WebhookFile + " cannot be used") // not quoted: it may hold a key
	}
	req.Header.Set("Content-Type", "application/json")
	if to.SecretFile != "" {
		keys, err := settings.Secrets(to.SecretFile)
		if err != nil {
			return err
		}
		mac := hmac.New(sha256.New, keys[0])
		mac.Write(body)
		req.Header.Set("X-Fettle-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return errors.New("nobody answered at the URL in " + to.WebhookFile)
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		return fmt.Errorf("the URL in %s answered %s", to.WebhookFile, res.Status)
	}
	return nil
}

// TellGivenUp tells of deliveries that were given up, each once.
func (a *App) TellGivenUp(ctx context.Context) error {
	if a.cfg.Heal == nil || a.cfg.Heal.Alerts().WebhookFile == "" {
		return nil
	}
	all, err := a.cfg.Store.FailedDeliveries(ctx, a.cfg.Now().Add(-givenUpFor))
	if err != nil {
		return err
	}
	var fresh []string
	last := ""
	for _, d := range all {
		mine, err := a.cfg.Store.Turn(ctx, "alert delivery "+d.ID, 2*givenUpFor)
		if err != nil {
			return err
		}
		if mine {
			fresh, last = append(fresh, d.ID), d.Event+": "+d.Note
		}
	}
	if len(fresh) > 0 {
		a.alert(ctx, "delivery", fmt.Sprintf("deliveries that were given up: %d, the last %s", len(fresh), oneLine(last, 300)), map[string]any{"deliveries": fresh})
	}
	return nil
}
