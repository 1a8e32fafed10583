package service

import (
	"sync"
	"time"
)

const maxLog = 16 << 10 // of what a service says, head and tail

// Ring keeps the head and the tail of what a service said since a mark,
// however much that was.
type Ring struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte
	lost  bool
	count int // writes
}

// Write implements io.Writer and never fails: a service must not stop because
// it is not listened to.
func (r *Ring) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	n := len(b)
	if free := maxLog/2 - len(r.head); free > 0 {
		k := min(free, len(b))
		r.head = append(r.head, b[:k]...)
		b = b[k:]
	}
	if len(b) > maxLog/2 {
		b, r.lost = b[len(b)-maxLog/2:], true
		r.tail = r.tail[:0]
	}
	if over := len(r.tail) + len(b) - maxLog/2; over > 0 {
		r.tail = append(r.tail[:0], r.tail[over:]...)
		r.lost = true
	}
	r.tail = append(r.tail, b...)
	return n, nil
}

// Mark forgets what was said so far.
func (r *Ring) Mark() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.head, r.tail, r.lost = nil, nil, false
}

// Text is what was kept.
func (r *Ring) Text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost {
		return string(r.head) + "\n[...]\n" + string(r.tail)
	}
	return string(r.head) + string(r.tail)
}

// Settle waits until nothing more is said, at most for a time.
func (r *Ring) Settle(most time.Duration) {
	const step = 20 * time.Millisecond
	last := -1
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(step) {
		r.mu.Lock()
		now := r.count
		r.mu.Unlock()
		if now == last && now > 0 {
			return
		}
		last = now
	}
}
