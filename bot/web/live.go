package web

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
)

// Runs change in any process on the database, so one goroutine reads those that are live
// while somebody listens, and tells everybody what is different.
const (
	watchEvery  = time.Second
	keptEvents  = 1000             // that a reader who comes back gets
	readerQueue = 64               // events that a reader may be behind
	mostReaders = 1000             // of this process
	aliveEvery  = 15 * time.Second // a comment, so that proxies keep the stream open
	writeWithin = 10 * time.Second
)

// event is that a run is not as it was.
type event struct {
	id   int64
	card store.Card
	data []byte
}

// hub tells readers of changes.
type hub struct {
	cards func(context.Context, []string) ([]store.Card, error)

	mu      sync.Mutex
	epoch   string // of this process: ids of another mean nothing here
	last    int64
	kept    []event
	readers map[*reader]bool
	wake    chan struct{} // somebody listens
	known   map[string]store.Card
}

// reader is one open stream.
type reader struct {
	scope  store.Scope
	events chan event // closed when the reader is dropped
}

// newHub tells of what cards lists: the live runs, and those with the ids given.
func newHub(cards func(context.Context, []string) ([]store.Card, error)) *hub {
	return &hub{cards: cards, readers: map[*reader]bool{}, wake: make(chan struct{}, 1)}
}

// liveCards are the runs that have not ended, and those that were live at the last look.
func (s *Server) liveCards(ctx context.Context, before []string) ([]store.Card, error) {
	live, _, err := s.cards(ctx, store.CardFilter{Scope: store.Scope{All: true}, Live: true, Limit: 2000})
	if err != nil {
		return nil, err
	}
	before = slices.DeleteFunc(before, func(id string) bool {
		return slices.ContainsFunc(live, func(c store.Card) bool { return c.ID == id })
	})
	if len(before) == 0 {
		return live, nil
	}
	ended, _, err := s.cards(ctx, store.CardFilter{Scope: store.Scope{All: true}, IDs: before, Limit: len(before)})
	return append(live, ended...), err
}

// Watch looks for changes until ctx ends.
func (s *Server) Watch(ctx context.Context) {
	h := s.hub
	h.mu.Lock()
	h.epoch = strconv.FormatInt(s.cfg.Now().UnixMicro(), 36)
	h.mu.Unlock()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	defer h.dropAll()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !h.heard() {
			select {
			case <-ctx.Done():
				return
			case <-h.wake:
			}
		}
		if err := h.look(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Log.WithError(err).Warn("what changed could not be read; the pages stand still")
		}
	}
}

func (h *hub) heard() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.readers) > 0
}

// look reads the runs and tells of those that are not as they were.
func (h *hub) look(ctx context.Context) error {
	h.mu.Lock()
	before := slices.Collect(maps.Keys(h.known))
	first := h.known == nil
	h.mu.Unlock()
	cards, err := h.cards(ctx, before)
	if err != nil {
		return err
	}
	now := map[string]store.Card{}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range slices.Backward(cards) {
		if c.State != "done" {
			now[c.ID] = c
		}
		if was, ok := h.known[c.ID]; first || ok && was == c {
			continue
		}
		data, err := json.Marshal(c)
		if err != nil {
			return err
		}
		h.tell(c, data)
	}
	h.known = now
	return nil
}

// tell sends an event to everybody who may see it. Whoever does not keep up is dropped:
// their browser comes back with the id of the last event it saw.
func (h *hub) tell(c store.Card, data []byte) {
	h.last++
	e := event{h.last, c, data}
	if h.kept = append(h.kept, e); len(h.kept) > keptEvents {
		h.kept = slices.Clone(h.kept[len(h.kept)-keptEvents/2:])
	}
	for r := range h.readers {
		if !r.scope.Sees(c.Installation, c.Repo) {
			continue
		}
		select {
		case r.events <- e:
		default:
			delete(h.readers, r)
			close(r.events)
		}
	}
}

// join adds a reader. missed are the events since the one that they saw last; whole is
// false where that is too long ago to tell.
func (h *hub) join(scope store.Scope, seen string) (r *reader, missed []event, whole bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.readers) >= mostReaders {
		return nil, nil, false, &problem{Status: http.StatusServiceUnavailable, Title: "Too many listen", Detail: "Load the page again to see what is new."}
	}
	whole = seen == ""
	if epoch, num, ok := strings.Cut(seen, "."); ok && epoch == h.epoch {
		n, err := strconv.ParseInt(num, 10, 64)
		whole = err == nil && n <= h.last && (len(h.kept) == 0 || n >= h.kept[0].id-1)
		for _, e := range h.kept {
			if whole && e.id > n && scope.Sees(e.card.Installation, e.card.Repo) {
				missed = append(missed, e)
			}
		}
	}
	r = &reader{scope: scope, events: make(chan event, readerQueue)}
	h.readers[r] = true
	select {
	case h.wake <- struct{}{}:
	default:
	}
	return r, missed, whole, nil
}

func (h *hub) leave(r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.readers, r)
}

func (h *hub) dropAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for r := range h.readers {
		delete(h.readers, r)
		close(r.events)
	}
}

// events is a stream of server-sent events: "run" with the run as the list shows it, and
// "reset" where events were missed and everything has to be read again.
func (s *Server) events(q *request) error {
	r, missed, whole, err := s.hub.join(q.v.Scope, q.Header.Get("Last-Event-ID"))
	if err != nil {
		return err
	}
	defer s.hub.leave(r)
	h := q.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(q.w)
	if err := out.SetReadDeadline(time.Time{}); err != nil { // the server's ends what is read for longer
		return err
	}
	write := func(format string, args ...any) error {
		if err := out.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(q.w, format, args...); err != nil {
			return err
		}
		return out.Flush()
	}
	send := func(e event) error {
		if one := q.URL.Query().Get("run"); one != "" && one != e.card.ID {
			return nil
		}
		return write("id: %s.%d\nevent: run\ndata: %s\n\n", s.hub.epoch, e.id, e.data)
	}
	err = write("retry: 2000\n\n")
	if !whole {
		err = write("id: %s.%d\nevent: reset\ndata: {}\n\n", s.hub.epoch, s.hub.lastID())
	}
	for _, e := range missed {
		if err == nil {
			err = send(e)
		}
	}
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for err == nil {
		select {
		case <-q.Context().Done():
			return nil
		case e, ok := <-r.events:
			if !ok {
				return nil
			}
			err = send(e)
		case <-alive.C:
			if v, werr := s.whose(q.Request); werr == nil && v.Name == "" { // the sign-in ended
				return nil
			}
			err = write(": \n\n")
		}
	}
	return nil // nobody is left to tell
}

func (h *hub) lastID() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}
