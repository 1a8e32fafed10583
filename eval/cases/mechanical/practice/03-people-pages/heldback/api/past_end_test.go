package api

import (
	"net/http"
	"testing"
)

func TestPagesPastTheEnd(t *testing.T) {
	url := serve(t, 20).URL
	for _, path := range []string{"/people?size=10&page=3", "/people?size=10&page=4", "/people?page=99&q=nobody"} {
		resp, people := get(t, url+path)
		if resp.StatusCode != http.StatusOK || people == nil || len(people) != 0 {
			t.Errorf("%s: got %d, %v", path, resp.StatusCode, people)
		}
	}
}

func TestPagePastTheEndLinksBack(t *testing.T) {
	resp, _ := get(t, serve(t, 20).URL+"/people?size=10&page=9")
	if got := resp.Header.Get("Link"); got != `</people?page=2&size=10>; rel="prev"` {
		t.Errorf("got %q", got)
	}
	if got := resp.Header.Get("X-Total-Count"); got != "20" {
		t.Errorf("total %q", got)
	}
}

func TestExactlyFullPage(t *testing.T) {
	if _, people := get(t, serve(t, 20).URL+"/people?size=10&page=2"); len(people) != 10 {
		t.Errorf("got %d", len(people))
	}
}
