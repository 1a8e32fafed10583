package code

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// cacheBytes is how much the trees kept for next time may hold; a tree above
// a quarter of it is not kept.
const cacheBytes = 48 << 20

// cacheKey is a text by its content.
type cacheKey struct {
	lang Language
	sum  [sha256.Size]byte
}

func keyOf(lang Language, src []byte) cacheKey { return cacheKey{lang, sha256.Sum256(src)} }

// treeCache keeps the trees that were used last.
type treeCache struct {
	mu   sync.Mutex
	by   map[cacheKey]*list.Element
	last *list.List // of *cached, the most recently used in front
	used int
}

type cached struct {
	key  cacheKey
	tree *Tree
	size int
}

var parsed = &treeCache{by: map[cacheKey]*list.Element{}, last: list.New()}

func (c *treeCache) get(key cacheKey) (*Tree, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.by[key]
	if !ok {
		return nil, false
	}
	c.last.MoveToFront(e)
	return e.Value.(*cached).tree, true
}

func (c *treeCache) put(key cacheKey, t *Tree) {
	size := 24*len(t.nodes) + len(t.Src) + 8*len(t.lines) + 1000
	if size > cacheBytes/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.by[key]; ok {
		return
	}
	c.by[key] = c.last.PushFront(&cached{key, t, size})
	c.used += size
	for c.used > cacheBytes {
		e := c.last.Back()
		old := c.last.Remove(e).(*cached)
		delete(c.by, old.key)
		c.used -= old.size
	}
}
