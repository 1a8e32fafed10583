package actions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

var checksum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// VerifyModel holds the model on the runner against the checksum of the inputs,
// before anything is asked of it: a file such as llama.cpp loads, or what Ollama
// at baseURL says of the model that it would load. "" says that there is nothing to
// hold it against.
func (j *Job) VerifyModel(ctx context.Context, baseURL string) (words string, err error) {
	in := j.In
	switch {
	case in.ModelSHA256 == "" && in.ModelFile == "":
		return "", nil
	case !checksum.MatchString(in.ModelSHA256):
		return "", &Refusal{fmt.Sprintf("the input model-sha256 has to be 64 hexadecimal digits, and is %q", in.ModelSHA256)}
	}
	var got, where string
	if in.ModelFile != "" {
		where = in.ModelFile
		got, err = fileSum(in.ModelFile)
	} else {
		where = in.Model + " at " + baseURL
		got, err = ollamaSum(ctx, baseURL, in.Model)
	}
	switch {
	case err != nil:
		return "", &Refusal{fmt.Sprintf("the model %s could not be held against its checksum: %v", where, err)}
	case got != in.ModelSHA256:
		return "", &Refusal{fmt.Sprintf("the model %s is not the one that the workflow names: its sha256 is %s, and model-sha256 is %s; nothing was asked of it", where, got, in.ModelSHA256)}
	}
	return fmt.Sprintf("the model %s has the checksum that the workflow names", where), nil
}

func fileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ollamaSum is the digest of a model as Ollama's own API has it (GET /api/tags).
func ollamaSum(ctx context.Context, baseURL, model string) (string, error) {
	if model == "" {
		return "", errors.New("name it with the input model, or its file with model-file")
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1")+"/api/tags", nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	var list struct {
		Models []struct {
			Name, Digest string
		}
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the endpoint does not list digests as Ollama does (%s); name the model's file with model-file", resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 4<<20)).Decode(&list); err != nil {
		return "", fmt.Errorf("what the endpoint lists is not what Ollama lists: %w; name the model's file with model-file", err)
	}
	for _, m := range list.Models {
		if m.Name == model || m.Name == model+":latest" {
			return strings.ToLower(strings.TrimPrefix(m.Digest, "sha256:")), nil
		}
	}
	return "", errors.New("the endpoint does not have it; pull it in a step before")
}
