package code

import (
	"crypto/sha256"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cacheBytes is how much the trees kept for next time may hold, and cacheTrees how
// many they may be; a tree above a quarter of the bytes is not kept.
const (
	cacheBytes = 48 << 20
	cacheTrees = 1 << 16
)

// cacheKey is a text by its content.
type cacheKey struct {
	lang Language
	sum  [sha256.Size]byte
}

func keyOf(lang Language, src []byte) cacheKey { return cacheKey{lang, sha256.Sum256(src)} }

// treeCache keeps the trees that were used last.
type treeCache struct {
	mu   sync.Mutex
	by   *simplelru.LRU[cacheKey, *Tree]
	used int
}

var parsed = func() *treeCache {
	c := &treeCache{}
	c.by, _ = simplelru.NewLRU(cacheTrees, func(_ cacheKey, t *Tree) { c.used -= t.size() }) // errors are of sizes below 1
	return c
}()

// size is about how many bytes a tree holds.
func (t *Tree) size() int { return 24*len(t.nodes) + len(t.Src) + 8*len(t.lines) + 1000 }

func (c *treeCache) get(key cacheKey) (*Tree, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.by.Get(key)
}

func (c *treeCache) put(key cacheKey, t *Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.size() > cacheBytes/4 || c.by.Contains(key) {
		return
	}
	c.used += t.size()
	for c.by.Add(key, t); c.used > cacheBytes; {
		c.by.RemoveOldest()
	}
}
