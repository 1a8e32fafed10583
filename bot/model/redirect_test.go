package model_test

import (
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
