//go:build !linux

package sandbox

import "time"

// folderWatch counts what lies in the folders of a workspace. The engine's
// machine is not this one: its kernel holds the size of /tmp and tells nobody.
type folderWatch struct {
	w     *Workspace
	cache string
	lim   Limits
	start int64
	next  time.Time
	hit   bool
}

// look makes the watcher of a started container.
func (r *contained) look(w *Workspace, cache *cacheDir, lim Limits) watcher {
	f := &folderWatch{w: w, cache: cache.disk, lim: lim, next: time.Now().Add(time.Second)}
	f.start, _ = usedBytes(w.dir)
	return f
}

func (f *folderWatch) look(final bool) breach {
	began := time.Now()
	if f.hit || !final && began.Before(f.next) {
		return breach{disk: f.hit}
	}
	used, largest := usedBytes(f.w.dir)
	cached, _ := usedBytes(f.cache)
	f.hit = used-f.start > f.lim.DiskBytes || cached > f.lim.DiskBytes || final && largest >= f.lim.FileBytes
	now := time.Now()
	f.next = now.Add(max(200*time.Millisecond, 10*now.Sub(began)))
	return breach{disk: f.hit}
}

func (f *folderWatch) close() {}
