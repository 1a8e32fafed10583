package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
)

// taught are lessons by id, each with its words.
func (h *harness) taught(s *store.Store, installation int64, repo string) map[string]string {
	h.Helper()
	all, err := s.Lessons(h.Context(), installation, repo)
	h.must(err)
	return words(all)
}

func words(all []store.Lesson) map[string]string {
	out := map[string]string{}
	for _, l := range all {
		out[l.ID] = string(l.Body)
	}
	return out
}

func lesson(id, words string) store.Lesson {
	body, _ := json.Marshal(map[string]string{"words": words}) // strings
	return store.Lesson{ID: id, Kind: "fix", Body: body}
}

// put makes a lesson what is said, among those that stand.
func put(l store.Lesson) func([]store.Lesson) ([]store.Lesson, error) {
	return func(all []store.Lesson) ([]store.Lesson, error) {
		return append(slices.DeleteFunc(all, func(x store.Lesson) bool { return x.ID == l.ID }), l), nil
	}
}

// testLessons: a reason makes a version of what changed, and nothing else does; the last
// ones are kept as they stood; a change that fails leaves nothing; secrets are not kept.
func testLessons(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	const repo = "Acme/Shop"
	for i, step := range []struct {
		l       store.Lesson
		why     string
		version int
	}{
		{lesson("b", "one"), "#1 was merged", 1}, {lesson("a", "draft"), "", 0}, {lesson("b", "one"), "again", 0}, {lesson("b", "two"), "#2 was merged", 2},
	} {
		if v, err := s.Teach(ctx, 7, repo, step.why, put(step.l)); err != nil || v != step.version {
			t.Fatalf("step %d: version %d, %v", i, v, err)
		}
	}
	bad := errors.New("it cannot be read")
	if _, err := s.Teach(ctx, 7, repo, "x", func([]store.Lesson) ([]store.Lesson, error) { return nil, bad }); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	if got := h.taught(s, 7, "acme/shop"); len(got) != 2 || !strings.Contains(got["b"], "two") {
		t.Errorf("%v", got)
	}
	first, err := s.LessonsAt(ctx, 7, repo, 1)
	if got := words(first); err != nil || len(got) != 1 || !strings.Contains(got["b"], "one") {
		t.Errorf("version 1: %v %v", got, err)
	}
	for i := range store.KeptVersions {
		h.Advance(time.Minute)
		_, err := s.Teach(ctx, 7, repo, "more", put(lesson("b", fmt.Sprint("more", i))))
		h.must(err)
	}
	s = h.open() // as another process finds it
	all, err := s.LessonVersions(ctx, 7, repo)
	if err != nil || len(all) != store.KeptVersions || all[0].Number != 2+store.KeptVersions || all[0].Why != "more" || all[0].Lessons != 2 || !all[0].MadeAt.After(all[1].MadeAt) {
		t.Errorf("%+v %v", all, err)
	}
	for _, gone := range []int{0, 2, 99} {
		if _, err := s.LessonsAt(ctx, 7, repo, gone); !errors.Is(err, store.ErrNoVersion) {
			t.Errorf("version %d: %v", gone, err)
		}
	}
	if v, err := s.Teach(ctx, 7, repo, "all is taken out", func([]store.Lesson) ([]store.Lesson, error) { return nil, nil }); err != nil || v != 3+store.KeptVersions || len(h.taught(s, 7, repo)) != 0 {
		t.Errorf("%d %v", v, err)
	}
	const secret = "installation.token/of-no-known-shape-4711"
	s = h.open(func(c *store.Config) { c.Funnel = redact.New(secret) })
	_, err = s.Teach(ctx, 7, repo, "#3 says "+secret, put(lesson("c", secret)))
	h.must(err)
	for column, values := range Dump(t, h.url) {
		if strings.Contains(strings.Join(values, " "), secret) {
			t.Errorf("%s holds a secret", column)
		}
	}
	if now, err := s.LessonsAt(ctx, 7, repo, 4+store.KeptVersions); err != nil || len(now) != 1 || strings.Contains(string(now[0].Body), secret) {
		t.Errorf("the version holds %v, %v", words(now), err)
	}
}

// testLessonsApart: a repository has its lessons alone. One that gets another name takes
// them along, with what heal keeps of it; whoever has the old name next begins anew.
func testLessonsApart(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	quarantine := func(k store.HealKey, state string) {
		_, _, err := s.Heal(ctx, store.HealResult{ID: state + k.Repo, Key: k, Run: "r", Cause: "watchdog"}, []store.HealKey{k}, func(map[store.HealKey]json.RawMessage, time.Time) (store.HealChange, error) {
			return store.HealChange{Bodies: map[store.HealKey]json.RawMessage{k: json.RawMessage(`"` + state + `"`)}, Moves: []store.HealMove{{ID: state, Key: k, At: h.Now(), Body: json.RawMessage("{}")}}}, nil
		})
		h.must(err)
	}
	was, now := store.HealKey{Installation: 7, Repo: "acme/old", Class: "fix"}, store.HealKey{Installation: 7, Repo: "acme/new", Class: "fix"}
	quarantine(was, "quarantined")
	quarantine(now, "healthy") // before the renaming was told
	for _, x := range []struct {
		installation int64
		repo, words  string
	}{{7, "acme/old", "old"}, {7, "acme/old", "older"}, {7, "acme/new", "early"}, {8, "acme/old", "theirs"}, {0, "/w/Shop", "upper"}, {0, "/w/shop", "lower"}} {
		if _, err := s.Teach(ctx, x.installation, x.repo, x.words, put(lesson("a", x.words))); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		moved := ask("x", "new", 1).Task.Repo
		moved.Installation = 7
		if _, err := s.MoveRepo(ctx, "acme/OLD", moved); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		installation int64
		repo, words  string
		versions     int
	}{{7, "acme/new", "older", 2}, {7, "acme/old", "", 0}, {8, "acme/old", "theirs", 1}, {0, "/w/Shop", "upper", 1}, {0, "/w/shop", "lower", 1}} {
		got := h.taught(s, x.installation, x.repo)
		if want := string(lesson("a", x.words).Body); got["a"] != want && (x.words != "" || len(got) > 0) {
			t.Errorf("%d %s was taught %v", x.installation, x.repo, got)
		}
		if all, err := s.LessonVersions(ctx, x.installation, x.repo); err != nil || len(all) != x.versions {
			t.Errorf("%d %s has the versions %+v, %v", x.installation, x.repo, all, err)
		}
	}
	docs, err := s.HealDocs(ctx, was, now)
	if err != nil || len(docs) != 1 || string(docs[now]) != `"quarantined"` {
		t.Errorf("heal keeps %v, %v", docs, err)
	}
	if moves, err := s.HealMoves(ctx, "quarantined", false, 5); err != nil || len(moves) != 1 || moves[0].Key != now {
		t.Errorf("its move is of %+v, %v", moves, err)
	}
	if failed, err := s.HealResults(ctx, now, time.Time{}, 5); err != nil || len(failed) != 2 {
		t.Errorf("its failures are %+v, %v", failed, err)
	}
}

// testTeachers: of changes at once, in two processes, none is lost, and whoever is at one
// keeps nobody from writing something else.
func testTeachers(t *testing.T, h *harness) {
	teachers := []*store.Store{h.open(), h.open()}
	ctx := t.Context()
	const each = 10
	together(each*len(teachers), func(i int) {
		if _, err := teachers[i%2].Teach(ctx, 7, "acme/shop", "x", put(lesson(name("l", i), "x"))); err != nil {
			t.Error(err)
		}
	})
	if got := h.taught(teachers[0], 7, "acme/shop"); len(got) != each*len(teachers) {
		t.Errorf("%d lessons are left: %v", len(got), got)
	}
	var once sync.Once
	calls := 0
	if _, err := teachers[0].Teach(ctx, 7, "acme/shop", "slow", func(all []store.Lesson) ([]store.Lesson, error) {
		calls++
		once.Do(func() {
			_, err := teachers[0].Turn(ctx, "something else", time.Minute)
			h.must(err)
			_, err = teachers[1].Teach(ctx, 7, "acme/shop", "fast", put(lesson("fast", "x")))
			h.must(err)
		})
		return put(lesson("slow", "x"))(all)
	}); err != nil {
		t.Error(err)
	}
	if got := h.taught(teachers[1], 7, "acme/shop"); calls != 2 || got["fast"] == "" || got["slow"] == "" {
		t.Errorf("after %d calls: %v", calls, got)
	}
}
