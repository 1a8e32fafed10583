package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory/pattern"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

// recall asks once, when the fault is located, what earlier runs on the repository
// taught of it (SPEC M5, M6, M8). It stays with the run: one that is taken up again
// goes on with what it knew.
func (r *run) recall(ctx context.Context) error {
	if r.state.Recalled != nil || r.in.Recall == nil && !r.recorder.next("recall") {
		return nil
	}
	q := pattern.Query{Failures: r.failing(), Now: r.now()}
	for _, s := range r.suspects {
		q.Places = append(q.Places, pattern.Place{Path: s.Path, Line: s.Line})
	}
	got, err := observe(ctx, r.recorder, "recall", q, func() (task.Recalled, error) {
		q.Read = func(path string) ([]byte, error) { return newSources(r.in.Tree.BaseFS()).read(path) } // each once
		return r.in.Recall(ctx, q)
	})
	if err != nil {
		return fmt.Errorf("asking what the repository taught: %w", err)
	}
	r.state.Recalled = &got
	if len(got.Lessons) == 0 {
		return nil
	}
	var all []string
	for _, l := range got.Lessons {
		all = append(all, string(l.Kind)+" "+l.String())
	}
	return r.note(ctx, "memory.recalled", fmt.Sprintf("%s of earlier runs bear on it: %s", task.Count(len(all), "lesson"), strings.Join(all, "; ")), map[string]any{"lessons": idsOf(got.Lessons)})
}

func idsOf(all []task.Lesson) []string {
	var out []string
	for _, l := range all {
		out = append(out, l.ID)
	}
	return out
}

// usesLessons tells whether what was recalled may be used: not by a run that became
// careful since, nor by one that was asked to do without.
func (r *run) usesLessons() bool {
	return r.state.Recalled != nil && !r.care.Degraded() && !slices.Contains(r.in.Task.Mending.Without, mend.Memory)
}

// lessons are those of a kind that a model may see: none that was learned in a file
// that is never sent.
func (r *run) lessons(kind task.LessonKind) []task.Lesson {
	var out []task.Lesson
	if !r.usesLessons() {
		return nil
	}
	for _, l := range r.state.Recalled.Lessons {
		if l.Kind == kind && !patch.Match(r.in.NeverSend, l.Path) {
			out = append(out, l)
		}
	}
	return out
}

// remembered are the precedents, warnings and advice for a role, and their ids: the
// cheapest tier gets one precedent.
func (r *run) remembered(tier task.Tier) (precedents []agent.Precedent, warnings, advice, ids []string) {
	most := 3
	if tier == task.Tier1 {
		most = 1
	}
	for _, l := range first(r.lessons(task.LessonFix), most) {
		precedents = append(precedents, agent.Precedent{Words: l.Words, Diff: diffWords(l), SuccessRate: l.Rate, Tries: l.Tries})
		ids = append(ids, l.ID)
	}
	for _, l := range first(r.lessons(task.LessonWrong), 5) {
		warnings = append(warnings, l.Words)
		ids = append(ids, l.ID)
	}
	for _, l := range r.lessons(task.LessonAdvice) {
		advice = append(advice, l.String())
		ids = append(ids, l.ID)
	}
	return precedents, warnings, advice, ids
}

// diffWords are the lines of a lesson as a diff shows them.
func diffWords(l task.Lesson) string {
	var b strings.Builder
	for _, side := range []struct{ mark, text string }{{"-", l.Was}, {"+", l.Now}} {
		if side.text == "" {
			continue
		}
		for line := range strings.SplitSeq(side.text, "\n") {
			fmt.Fprintln(&b, side.mark+line)
		}
	}
	return b.String()
}

// tellRemembered writes down which lessons a role was shown, for the run's story.
func (r *run) tellRemembered(ctx context.Context, as string, tier task.Tier, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return r.note(ctx, "memory.shown", fmt.Sprintf("the %s at %s is shown %s of earlier runs: %s", as, tier, task.Count(len(ids), "lesson"), strings.Join(ids, ", ")), map[string]any{"as": as, "lessons": ids})
}

// mending is what mechanical repair is told of the past.
func (r *run) mending() task.Mending {
	m := r.in.Task.Mending
	if got := r.state.Recalled; r.usesLessons() {
		m.Past = got.Past
		m.Lessons = slices.DeleteFunc(slices.Clone(got.Lessons), func(l task.Lesson) bool { return l.Rule == "" })
	}
	return m
}

// heedWarnings looks for what people corrected before in what a model wrote. Where
// the same failure is back, what they merged is put in its place; elsewhere it is a
// doubt, since the same words can be right in another place.
func (r *run) heedWarnings(ctx context.Context, a *task.Attempt) error {
	warned := r.lessons(task.LessonWrong)
	if len(warned) == 0 {
		return nil
	}
	byName := map[string]task.Lesson{}
	for _, l := range warned {
		byName[task.Learned+l.ID] = l
	}
	for i := range a.Patch.Edits {
		e := &a.Patch.Edits[i]
		lang := code.LanguageOf(e.Path)
		set := pattern.Rules(lang, warned, task.LessonWrong)
		if set == nil || e.Code == "" || e.Kind == task.EditSearch || code.IsTest(e.Path) {
			continue
		}
		tree, err := code.Parse(ctx, lang, []byte(e.Code))
		if err != nil || tree.HasError() { // a part of a file that does not parse alone
			continue
		}
		for _, c := range pattern.Changes(tree, set) {
			l := byName[c.Rule.Name]
			put := e.Code[:c.Start] + c.Text + e.Code[c.End:]
			if next, err := code.Parse(ctx, lang, []byte(put)); l.Exact && err == nil && !next.HasError() {
				e.Code = put
				a.Lessons = append(a.Lessons, l.ID)
				if err := r.note(ctx, "memory.corrected", fmt.Sprintf("the change of %s did again what people corrected; lesson %s was applied to it: %s", e.Path, l.ID, l.Words), map[string]any{"lesson": l.ID, "path": e.Path}); err != nil {
					return err
				}
				break // the other places have moved; one correction an edit
			}
			doubt := "the change does what people corrected in this repository before: " + l.Words
			if !slices.Contains(a.Doubts, doubt) {
				a.Doubts = append(a.Doubts, doubt)
			}
		}
	}
	return nil
}
