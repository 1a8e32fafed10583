package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
)

//go:embed map.py
var mapper string

// repoMap is Aider's repository map, its own package in a Python of its own, run
// beside: one process that is asked again and again.
type repoMap struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startMap(ctx context.Context, python string) (*repoMap, error) {
	cmd := exec.CommandContext(ctx, python, "-c", mapper)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if os.Getenv("FETTLE_CONTEXT_LOUD") != "" {
		cmd.Stderr = os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the repository map: %w; -map takes a python with aider-chat: python3 -m venv aider && aider/bin/pip install aider-chat", err)
	}
	return &repoMap{cmd, in, bufio.NewReaderSize(out, 1<<20)}, nil
}

func (m *repoMap) close() {
	_ = m.in.Close()
	_ = m.cmd.Wait()
}

// score asks for the map of the tree before a fix.
func (m *repoMap) score(ctx context.Context, w *worktree, f *fix, rivals *corpus) (score, error) {
	if err := w.at(ctx, f.parent); err != nil {
		return score{}, err
	}
	ask := struct {
		Root    string   `json:"root"`
		Files   []string `json:"files"`
		Text    string   `json:"text"`
		Windows []int    `json:"windows"`
	}{w.tree(), nil, f.title + "\n" + f.body, windows}
	for _, d := range rivals.files {
		ask.Files = append(ask.Files, d.path)
	}
	line, err := json.Marshal(ask)
	if err != nil {
		return score{}, err
	}
	if _, err := m.in.Write(append(line, '\n')); err != nil {
		return score{}, fmt.Errorf("asking the repository map: %w; FETTLE_CONTEXT_LOUD=1 shows what it prints", err)
	}
	raw, err := m.out.ReadBytes('\n')
	if err != nil {
		return score{}, fmt.Errorf("reading the repository map: %w; FETTLE_CONTEXT_LOUD=1 shows what it prints", err)
	}
	var got struct {
		Ranked [][2]any
		Shown  [][][2]any
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return score{}, fmt.Errorf("reading the repository map: %w", err)
	}
	byPath := map[string][]*document{}
	for _, d := range rivals.pieces {
		byPath[d.path] = append(byPath[d.path], d)
	}
	places := func(tags [][2]any) (list []ranked) {
		seen := map[ranked]bool{}
		for _, t := range tags {
			p, _ := t[0].(string)
			n, _ := t[1].(float64)
			best := ranked{path: p}
			for _, d := range byPath[p] {
				if d.start <= int(n) && int(n) <= d.end && (best.end == 0 || d.end-d.start <= best.end-best.start) {
					best = d.ranked
				}
			}
			if !seen[best] {
				seen[best] = true
				list = append(list, best)
			}
		}
		return list
	}
	s := f.score(places(got.Ranked), nil)
	for i := range windows { // the map shows a symbol by its line, and is counted as if it showed all of it
		shown, found := places(got.Shown[i]), 0
		for _, t := range f.truth {
			if slices.ContainsFunc(shown, t.in) {
				found++
			}
		}
		s.shown[i] = float64(found) / float64(len(f.truth))
	}
	return s, nil
}
