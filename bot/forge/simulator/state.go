package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"
)

// state is everything but git objects and deliveries, as it stands in
// state.json. Ids come from one sequence, so that the same actions in the same
// order give the same ids.
type state struct {
	Version       int                    `json:"version"`
	Sequence      int64                  `json:"sequence"`
	Installations []*installation        `json:"installations"`
	Repos         map[string]*repository `json:"repos"`             // by owner/name in lower case
	Renamed       map[string]string      `json:"renamed,omitempty"` // former owner/name in lower case, to the one of now
	Tokens        map[string]*token      `json:"tokens"`            // by SHA-256 of the token
	Users         map[string]bool        `json:"users"`             // logins that exist
	App           *app                   `json:"app,omitempty"`     // created by a manifest; nil: the configured one
}

type installation struct {
	ID        int64     `json:"id"`
	Account   string    `json:"account"`
	CreatedAt time.Time `json:"created_at"`
	Suspended bool      `json:"suspended,omitempty"`
}

type token struct {
	Installation int64             `json:"installation"`
	Repos        []int64           `json:"repos,omitempty"` // empty = all of the installation
	Permissions  map[string]string `json:"permissions"`
	ExpiresAt    time.Time         `json:"expires_at"`
}

type repository struct {
	ID            int64                `json:"id"`
	Owner         string               `json:"owner"`
	Name          string               `json:"name"`
	DefaultBranch string               `json:"default_branch"`
	Protected     map[string]bool      `json:"protected,omitempty"`   // branches nobody pushes to
	Ruled         map[string]bool      `json:"ruled,omitempty"`       // the same, by a ruleset
	Required      map[string][]string  `json:"required,omitempty"`    // checks without which nothing is merged to a branch
	Permissions   map[string]string    `json:"permissions,omitempty"` // login -> admin, maintain, write, triage, read, none
	CreatedAt     time.Time            `json:"created_at"`
	UpdatedAt     time.Time            `json:"updated_at"`
	PushedAt      time.Time            `json:"pushed_at"`
	LastNumber    int                  `json:"last_number"`
	Labels        []*label             `json:"labels"`
	Issues        []*issue             `json:"issues"` // pull requests among them
	Checks        []*checkRun          `json:"checks,omitempty"`
	Signed        map[string]time.Time `json:"signed,omitempty"` // commits that GitHub signed
	Archived      bool                 `json:"archived,omitempty"`

	Workflows map[int64]WorkflowRun `json:"workflows,omitempty"` // runs of GitHub Actions, by number
	Artifacts []*artifact           `json:"artifacts,omitempty"`
}

type label struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Color       string `json:"color"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

type issue struct {
	ID          int64      `json:"id"`
	Number      int        `json:"number"`
	Title       string     `json:"title"`
	Body        string     `json:"body"`
	Author      string     `json:"author"`
	State       string     `json:"state"` // open, closed
	StateReason string     `json:"state_reason,omitempty"`
	Labels      []int64    `json:"labels,omitempty"`
	Comments    []*comment `json:"comments,omitempty"`
	Reactions   []reaction `json:"reactions,omitempty"`
	Timeline    []event    `json:"timeline,omitempty"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	ClosedAt    time.Time  `json:"closed_at,omitzero"`
	ClosedBy    string     `json:"closed_by,omitempty"`
	Locked      bool       `json:"locked,omitempty"`
	Pull        *pull      `json:"pull,omitempty"`
}

type pull struct {
	ID       int64     `json:"id"`
	Head     string    `json:"head"` // branch
	Base     string    `json:"base"` // branch
	HeadSHA  string    `json:"head_sha"`
	BaseSHA  string    `json:"base_sha"`
	Draft    bool      `json:"draft"`
	MergedAt time.Time `json:"merged_at,omitzero"`
	MergedBy string    `json:"merged_by,omitempty"`
	MergeSHA string    `json:"merge_sha,omitempty"`
	Fork     string    `json:"fork,omitempty"` // owner of the fork that the head is in; "" = this repository
	Reviews  []*review `json:"reviews,omitempty"`
	Threads  []*thread `json:"threads,omitempty"`
}

type comment struct {
	ID        int64      `json:"id"`
	Body      string     `json:"body"`
	Author    string     `json:"author"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	Edits     int        `json:"edits,omitempty"`
	Reactions []reaction `json:"reactions,omitempty"`
}

type reaction struct {
	ID        int64     `json:"id"`
	Content   string    `json:"content"`
	User      string    `json:"user"`
	CreatedAt time.Time `json:"created_at"`
}

// event is one line of an issue's timeline.
type event struct {
	Kind   string    `json:"kind"` // labeled, unlabeled, closed, reopened, edited, merged, head_moved, …
	Actor  string    `json:"actor"`
	Detail string    `json:"detail,omitempty"`
	At     time.Time `json:"at"`
}

type checkRun struct {
	ID          int64           `json:"id"`
	App         string          `json:"app,omitempty"` // slug of another App than this one
	Name        string          `json:"name"`
	HeadSHA     string          `json:"head_sha"`
	Status      string          `json:"status"`
	Conclusion  string          `json:"conclusion,omitempty"`
	DetailsURL  string          `json:"details_url,omitempty"`
	ExternalID  string          `json:"external_id,omitempty"`
	StartedAt   time.Time       `json:"started_at,omitzero"`
	CompletedAt time.Time       `json:"completed_at,omitzero"`
	Title       string          `json:"title,omitempty"`
	Summary     string          `json:"summary,omitempty"`
	Text        string          `json:"text,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
	Notes       int             `json:"notes,omitempty"` // number of annotations
}

func loadState(path string) (*state, error) {
	st := &state{Version: 1, Sequence: 1000, Repos: map[string]*repository{}, Tokens: map[string]*token{}, Users: map[string]bool{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the simulator's state: %w", err)
	}
	if err := json.Unmarshal(data, st); err != nil {
		return nil, fmt.Errorf("%s is not a simulator's state: %w; remove the directory to start anew", path, err)
	}
	return st, nil
}

func (st *state) nextID() int64 {
	st.Sequence++
	return st.Sequence
}

func repoKey(owner, name string) string { return strings.ToLower(owner + "/" + name) }

func (st *state) repo(owner, name string) *repository { return st.Repos[repoKey(owner, name)] }

// repos lists the repositories by id.
func (st *state) repos() []*repository {
	out := make([]*repository, 0, len(st.Repos))
	for _, r := range st.Repos {
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func (st *state) installation(id int64) *installation {
	for _, in := range st.Installations {
		if in.ID == id {
			return in
		}
	}
	return nil
}

func (st *state) installationOf(owner string) *installation {
	for _, in := range st.Installations {
		if strings.EqualFold(in.Account, owner) {
			return in
		}
	}
	return nil
}

func (r *repository) issue(number int) *issue {
	for _, i := range r.Issues {
		if i.Number == number {
			return i
		}
	}
	return nil
}

func (r *repository) comment(id int64) (*issue, *comment) {
	for _, i := range r.Issues {
		for _, c := range i.Comments {
			if c.ID == id {
				return i, c
			}
		}
	}
	return nil, nil
}

func (r *repository) labelNamed(name string) *label {
	for _, l := range r.Labels {
		if strings.EqualFold(l.Name, name) {
			return l
		}
	}
	return nil
}

func (r *repository) labelsOf(i *issue) []*label {
	out := []*label{}
	for _, id := range i.Labels {
		for _, l := range r.Labels {
			if l.ID == id {
				out = append(out, l)
			}
		}
	}
	return out
}

func (i *issue) note(kind, actor, detail string, at time.Time) {
	i.Timeline = append(i.Timeline, event{Kind: kind, Actor: actor, Detail: detail, At: at})
	i.UpdatedAt = at
}

// saver writes the state so that every change is on disk before it is
// answered, and changes that come together share one write.
type saver struct {
	path   string
	mu     sync.Mutex
	wanted int64 // guarded by Server.mu
	done   int64 // guarded by mu
}

// changed marks the state as changed; call it with s.mu held.
func (s *Server) changed() { s.saver.wanted++ }

// save writes the state if it changed since the last write; call it without
// s.mu.
func (s *Server) save() error {
	s.saver.mu.Lock()
	defer s.saver.mu.Unlock()
	s.mu.Lock()
	wanted := s.saver.wanted
	if wanted == s.saver.done {
		s.mu.Unlock()
		return nil
	}
	data, err := json.Marshal(s.state)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("writing the simulator's state: %w", err)
	}
	if err := writeFile(s.saver.path, data, 0o600); err != nil {
		return fmt.Errorf("writing the simulator's state: %w", err)
	}
	s.saver.done = wanted
	return nil
}

// writeFile replaces a file as a whole or not at all.
func writeFile(path string, data []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
