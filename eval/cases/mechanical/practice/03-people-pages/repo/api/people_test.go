package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/directory/store"
)

func serve(t *testing.T, n int) *httptest.Server {
	t.Helper()
	s := store.New()
	for i := 1; i <= n; i++ {
		s.Add(store.Person{Name: fmt.Sprintf("Person %02d", i), Email: fmt.Sprintf("p%d@example.com", i)})
	}
	server := httptest.NewServer(&Server{Store: s})
	t.Cleanup(server.Close)
	return server
}

func get(t *testing.T, url string) (*http.Response, []store.Person) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var people []store.Person
	if resp.StatusCode == http.StatusOK {
		if err := json.NewDecoder(resp.Body).Decode(&people); err != nil {
			t.Fatal(err)
		}
	}
	return resp, people
}

func TestFirstPage(t *testing.T) {
	resp, people := get(t, serve(t, 25).URL+"/people?size=10")
	if len(people) != 10 || people[0].Name != "Person 01" {
		t.Errorf("got %v", people)
	}
	if got := resp.Header.Get("X-Total-Count"); got != "25" {
		t.Errorf("total %s", got)
	}
}

func TestLastPage(t *testing.T) {
	_, people := get(t, serve(t, 25).URL+"/people?size=10&page=3")
	if len(people) != 5 || people[4].Name != "Person 25" {
		t.Errorf("got %v", people)
	}
}

func TestPagePastTheEndIsEmpty(t *testing.T) {
	resp, people := get(t, serve(t, 25).URL+"/people?size=10&page=9")
	if resp.StatusCode != http.StatusOK || people == nil || len(people) != 0 {
		t.Errorf("got %d, %v", resp.StatusCode, people)
	}
}

func TestSearchCountsMatches(t *testing.T) {
	resp, people := get(t, serve(t, 25).URL+"/people?q=p7@")
	if len(people) != 1 || resp.Header.Get("X-Total-Count") != "1" {
		t.Errorf("got %v", people)
	}
}

func TestBadPage(t *testing.T) {
	if resp, _ := get(t, serve(t, 1).URL+"/people?page=-1"); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("got %d", resp.StatusCode)
	}
}

func TestOtherPath(t *testing.T) {
	if resp, _ := get(t, serve(t, 1).URL+"/persons"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("got %d", resp.StatusCode)
	}
}

func TestPostIsRefused(t *testing.T) {
	resp, err := http.Post(serve(t, 1).URL+"/people", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "GET" {
		t.Errorf("got %d", resp.StatusCode)
	}
}
