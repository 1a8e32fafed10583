package model_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestX1APromptIsNotCarriedToAnotherHostByARedirect(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the prompt went elsewhere") }))
	defer other.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	c := model.New(model.Config{Endpoints: map[task.Tier]model.Endpoint{task.Tier1: {Tier: task.Tier1, BaseURL: srv.URL, Model: "m"}}})
	if _, err := c.Ask(t.Context(), model.Request{Tier: task.Tier1, User: "code"}); err == nil {
		t.Error("a redirect was taken for an answer")
	}
}

func TestF09AProvidersPageOfErrorIsCut(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(bytes.Repeat([]byte("<p>no</p>\n"), 500_000))
	}))
	defer srv.Close()
	c := model.New(model.Config{Endpoints: map[task.Tier]model.Endpoint{task.Tier1: {Tier: task.Tier1, BaseURL: srv.URL, Model: "m"}}})
	_, err := c.Ask(t.Context(), model.Request{Tier: task.Tier1, User: "code"})
	var failed *model.Error
	if !errors.As(err, &failed) || failed.Class != model.Refused || len(err.Error()) > 4000 {
		t.Errorf("%T of %d bytes", err, len(err.Error()))
	}
}
