package bot

import (
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestS3QuestionsAreNoRequests(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Why is this sorted?": true, "What happens for an empty list?": true, "is this safe?  ": true, "_How_ long does it take?": true,
		"Could you rename this?": false, "Please rename this.": false, "typo?": false, "Rename it, why not?": false, "": false,
		"Why not this?\n```suggestion\nx\n```\nok?": false,
	} {
		if got := isQuestion(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func said(body string, line, start int) task.Thread {
	return task.Thread{ID: body, Path: "a.txt", Line: line, StartLine: start, Comments: []task.ReviewComment{{ID: int64(line), Author: "ada", Body: body}}}
}

// TestS3SuggestionsBecomeOneBlockAFile: the block stands in the file once, however
// often its lines do.
func TestS3SuggestionsBecomeOneBlockAFile(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{"a.txt": {Data: []byte("one\nx\ntwo\nx\nthree\n")}}
	sug := func(text string) string { return "so\n```suggestion\n" + text + "```" }
	for name, tc := range map[string]struct {
		threads []task.Thread
		code    string
		left    int
	}{
		"a line":                {[]task.Thread{said(sug("1\n"), 1, 0)}, "<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n", 0},
		"a line that repeats":   {[]task.Thread{said(sug("y\n"), 4, 0)}, "<<<<<<< SEARCH\ntwo\nx\nthree\n=======\ntwo\ny\nthree\n>>>>>>> REPLACE\n", 0},
		"several lines":         {[]task.Thread{said(sug("2\n"), 3, 2)}, "<<<<<<< SEARCH\nx\ntwo\n=======\n2\n>>>>>>> REPLACE\n", 0},
		"two of a file":         {[]task.Thread{said(sug("3\n"), 5, 0), said(sug("1\n"), 1, 0)}, "<<<<<<< SEARCH\none\nx\ntwo\nx\nthree\n=======\n1\nx\ntwo\nx\n3\n>>>>>>> REPLACE\n", 0},
		"nothing in its place":  {[]task.Thread{said(sug(""), 1, 0)}, "<<<<<<< SEARCH\none\n=======\n>>>>>>> REPLACE\n", 0},
		"lines that are gone":   {[]task.Thread{said(sug("1\n"), 0, 0)}, "", 1},
		"behind the file's end": {[]task.Thread{said(sug("1\n"), 50, 0)}, "", 1},
	} {
		p, left := suggested(base, tc.threads)
		got := ""
		if len(p.Edits) > 0 {
			got = p.Edits[0].Code
		}
		if got != tc.code || len(left) != tc.left || len(p.Edits) > 1 {
			t.Errorf("%s: %q, left %v", name, got, left)
		}
	}
}

func TestS3WhatIsWrittenOutGoesFirst(t *testing.T) {
	t.Parallel()
	all := unansweredWork{suggestions: []task.Thread{said("a", 1, 0)}, changes: []task.Thread{said("b", 2, 0)}, questions: []task.Thread{said("c", 3, 0)}}
	q, more, ok := all.work(store.Pull{Number: 7})
	if !ok || !more || q.follow.Kind != task.FollowSuggestion || len(q.follow.Threads) != 2 || len(q.follow.Comments) != 2 {
		t.Errorf("%+v, more %v", q.follow, more)
	}
	all.suggestions = nil
	if q, more, ok = all.work(store.Pull{Number: 7}); !ok || more || q.follow.Kind != task.FollowReview || q.title != "b" {
		t.Errorf("%+v, more %v", q, more)
	}
	all.changes = nil
	if q, _, ok = all.work(store.Pull{}); !ok || q.follow.Kind != task.FollowQuestion {
		t.Errorf("%+v", q)
	}
	if _, _, ok = (unansweredWork{}).work(store.Pull{}); ok {
		t.Error("nothing is work")
	}
}
