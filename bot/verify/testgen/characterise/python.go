package characterise

import (
	"context"
	_ "embed" // the driver
	"encoding/json"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

//go:embed driver/python.py
var pythonDriver string

type python struct{}

func (python) command(s surroundings) sandbox.Command {
	zone := s.zone
	if zone != "UTC" {
		zone = "ELSE-9" // understood without a data base of zones
	}
	return sandbox.Command{Argv: []string{"python3", "-B", "-c", pythonDriver},
		Env: map[string]string{"PYTHONHASHSEED": s.seed, "TZ": zone, "PYTHONDONTWRITEBYTECODE": "1"}}
}

func (p python) record(ctx context.Context, v *view) ([]record, error) {
	var targets []map[string]any
	for _, t := range v.targets {
		targets = append(targets, map[string]any{"path": v.rel(t.path), "name": t.Name, "class": t.class})
	}
	cmd := p.command(here)
	cmd.Limits = limits(v.recordWall())
	lines, err := v.drive(ctx, cmd, map[string]any{"mode": "record", "targets": targets, "files": v.testFiles(), "runner": v.runner, "wall": almost(v.recordWall()).Seconds()})
	if err != nil {
		return nil, err
	}
	var out []record
	for _, line := range lines {
		var r struct {
			record
			Path []string `json:"path"`
		}
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if r.Path != nil {
			v.search = r.Path
			continue
		}
		if r.Spot < 0 || r.Spot >= len(v.targets) {
			continue
		}
		if v.module == "" {
			v.module = r.Module
		}
		if r.Module == v.module {
			out = append(out, r.record)
		}
	}
	return out, nil
}

func (python) prepare(context.Context, *view, []call, [][]byte) error { return nil }

func (p python) observe(ctx context.Context, v *view, w watch) ([]seen, error) {
	cmd := p.command(w.in)
	cmd.Limits = limits(w.wall + grace)
	req := v.request(w)
	req["module"], req["path"] = v.module, append([]string{}, v.search...)
	lines, err := v.drive(ctx, cmd, req)
	return watched(lines, len(w.texts)), err
}
