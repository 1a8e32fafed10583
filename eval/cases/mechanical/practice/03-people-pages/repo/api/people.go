// Package api answers HTTP requests about the directory.
package api

import (
	"encoding/json"
	"net/http"
	"strconv"

	"example.com/directory/page"
	"example.com/directory/store"
)

// Server is the handler of the directory.
type Server struct {
	Store *store.Store
}

// ServeHTTP routes GET /people.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/people" {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	s.list(w, r)
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	req, err := page.Parse(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	people := s.Store.Find(r.URL.Query().Get("q"))
	total := len(people)
	from, to := req.Bounds(total)

	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Total-Count", strconv.Itoa(total))
	if links := page.Links(r.URL, req, total); links != "" {
		w.Header().Set("Link", links)
	}
	json.NewEncoder(w).Encode(people[from:to])
}
