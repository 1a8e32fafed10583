package sandbox

import (
	"fmt"
	"sync"
)

// capped keeps the first and the last bytes of a stream, at most limit in all,
// whatever its length. It never blocks the writer.
type capped struct {
	mu    sync.Mutex
	limit int
	head  []byte
	ring  []byte // last bytes, a ring of limit-limit/2
	next  int    // where the ring is written next
	total int64
}

func newCapped(limit int64) *capped {
	if limit < 2 {
		limit = 2
	}
	return &capped{limit: int(limit)}
}

// Write takes everything and keeps what fits.
func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += int64(n)
	if room := c.limit/2 - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head = append(c.head, p[:take]...)
		p = p[take:]
	}
	c.tail(p)
	return n, nil
}

func (c *capped) tail(p []byte) {
	size := c.limit - c.limit/2
	if len(p) > size {
		p = p[len(p)-size:]
	}
	for len(p) > 0 {
		if len(c.ring) < size { // still growing: next is its end
			take := min(size-len(c.ring), len(p))
			c.ring = append(c.ring, p[:take]...)
			c.next = len(c.ring) % size
			p = p[take:]
			continue
		}
		take := copy(c.ring[c.next:], p)
		c.next = (c.next + take) % size
		p = p[take:]
	}
}

// Bytes is what was kept, with a line between head and tail that says how much
// was left out, and whether anything was.
func (c *capped) Bytes() ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := int64(len(c.head) + len(c.ring))
	out := append([]byte(nil), c.head...)
	if c.total > kept {
		out = fmt.Appendf(out, "\n[… %d bytes left out …]\n", c.total-kept)
		out = append(out, c.ring[c.next:]...)
		return append(out, c.ring[:c.next]...), true
	}
	return append(out, c.ring...), false
}
