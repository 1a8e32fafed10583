package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/catalog"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
)

// modelFindings has a line for each configured endpoint, substitutes among them.
// All are asked at once: one that does not answer takes its time alone.
func (p *parts) modelFindings(ctx context.Context) []finding {
	type row struct {
		name string
		tier task.Tier
		t    settings.Tier
	}
	var rows []row
	for _, tier := range []task.Tier{task.TierNano, task.Tier1, task.Tier2, task.Tier3, task.TierEmbeddings} {
		if t, ok := p.set.Tiers[tier]; ok {
			rows = append(rows, row{string(tier), tier, t})
			if t.Substitute != nil {
				rows = append(rows, row{string(tier) + " substitute", tier, *t.Substitute})
			}
		}
	}
	if len(rows) == 0 {
		return []finding{{"models", "ok", "none configured: mechanical repair alone works, at no cost", ""}}
	}
	out := make([]finding, len(rows))
	models := p.models()
	var asked sync.WaitGroup
	for i, r := range rows {
		asked.Go(func() { out[i] = p.modelFinding(ctx, models, r.name, r.tier, r.t) })
	}
	asked.Wait()
	return out
}

func (p *parts) modelFinding(ctx context.Context, models *model.Client, name string, tier task.Tier, t settings.Tier) finding {
	f := finding{name, "ok", fmt.Sprintf("%s at %s, $%g in and $%g out per million tokens (%s)", t.Model, t.BaseURL, t.PriceIn, t.PriceOut, t.PriceFrom), ""}
	if len(t.Command) > 0 {
		f.Detail += fmt.Sprintf("; %s writes its changes, and asks it through the gateway", t.Agent)
	}
	if _, err := t.Key(); err != nil {
		f.Status, f.Detail, f.Fix = "error", err.Error(), "set the variable or file named in the configuration"
		return f
	}
	ep := p.endpoint(tier, t)
	preset := catalog.Guess(t.BaseURL)
	if named, err := catalog.Lookup(t.Preset); err == nil {
		preset = named
	}
	offer, err := models.Offered(ctx, ep)
	known, _ := catalog.PriceOf(t.Model, 0)
	ends := known.Ends
	switch {
	case errors.Is(err, model.ErrKey):
		f.Status, f.Detail, f.Fix = "error", f.Detail+": "+err.Error(), "renew the key at the provider, where the configuration names it"
		return f
	case errors.Is(err, model.ErrUnlisted):
		f.Detail += "; " + err.Error() + ", so whether it offers this one was not seen"
	case err != nil:
		f.Status, f.Detail, f.Fix = "warning", f.Detail+"; could not be asked for its models: "+p.funnel.Log(err.Error()), "check base_url and the network"
		if preset.Local {
			f.Fix = "start " + preset.Title + ", or correct base_url"
		}
		return f
	case preset.AnyName:
		f.Detail += "; it answers by the model that is loaded: " + strings.Join(offer.Models, ", ")
	case !catalog.Offers(offer.Models, t.Model):
		f.Status, f.Detail, f.Fix = "error", f.Detail+": it does not offer this model", "choose one of its models: "+some(offer.Models)
		if instead, why := catalog.Instead(t.Model, offer.Models); instead != "" {
			f.Fix = fmt.Sprintf("set 'model: %s' (%s)", instead, why)
		}
		return f
	default:
		f.Detail += "; offered"
		if day := offer.Ends[t.Model]; day != "" {
			ends = day
		}
	}
	if ends == "" {
		return f
	}
	f.Status, f.Fix = "warning", "set another model"
	f.Detail += "; its provider ends it on " + ends
	if ends <= p.now().UTC().Format("2006-01-02") {
		f.Detail = strings.Replace(f.Detail, "ends it on", "ended it on", 1)
	}
	if instead, why := catalog.Instead(t.Model, offer.Models); instead != "" && instead != t.Model {
		f.Fix = fmt.Sprintf("set 'model: %s' (%s)", instead, why)
	} else if known.Next != "" {
		f.Fix = "set 'model: " + known.Next + "'"
	}
	return f
}

// some are the first of many names.
func some(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
