package agent

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// results are what a turn's actions brought.
type results struct {
	text    strings.Builder
	left    int         // bytes that may still be shown
	fresh   []task.Edit // kept in this turn
	refused bool        // an edit was refused in this turn
}

func (r *results) say(words string) { r.text.WriteString(words + "\n") }

// show fences foreign text and gives the number of bytes that were shown, and
// whether there was room for it.
func (r *results) show(head, text string, limit int) (size int, room bool) {
	limit = min(limit, r.left)
	if limit < 200 {
		r.say(head + " left out, because the results of this answer are already long. Ask for it again, on its own, with a smaller target.")
		return 0, false
	}
	text = clipped(text, limit)
	r.left -= len(text)
	if strings.TrimSpace(text) == "" {
		r.say(head + " nothing was found.")
		return 0, true
	}
	r.say(head + "\n" + fence(foreign(text), ""))
	return len(text), true
}
