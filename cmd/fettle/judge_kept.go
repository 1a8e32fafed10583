package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// judgedBy names all that a judgement depends on beside the change: this very program,
// its settings, the sandbox and the tools in it. What it names the same judges the same.
// "" where the file of the settings is not there: then nothing is kept.
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
		switch err := digestFile(sum, name); {
		case errors.Is(err, fs.ErrNotExist): // whoever takes it away may put another there
			return "", nil
		case err != nil:
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
