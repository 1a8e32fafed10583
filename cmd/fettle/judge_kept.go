package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// judgedBy names all that a judgement depends on beside the change: this very program,
// its settings, the sandbox and the tools in it. What it names the same judges the same.
func (p *parts) judgedBy(ctx context.Context) (string, error) {
	sum := sha256.New()
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("looking for this program: %w", err)
	}
	for _, name := range []string{exe, p.set.File} {
		if name == "" {
			continue
		}
		if err := digestFile(sum, name); err != nil {
			return "", err
		}
	}
	var set []string
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "FETTLE_") {
			set = append(set, v)
		}
	}
	slices.Sort(set)
	box, err := p.sandbox(ctx)
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal([]any{set, box.Walls(), box.Tools()})
	if err != nil {
		return "", err
	}
	_, _ = sum.Write(raw) // a hash takes everything
	return hex.EncodeToString(sum.Sum(nil))[:32], nil
}

func digestFile(into io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(into, f)
	return err
}
