package mend

import "sync"

const (
	// wider is how many times the usual bounds a candidate gets that was late,
	// and with it what no busy machine uses up.
	wider = 6
	// Of candidates that still come to no end the first few are waited for.
	maxHungRegion, maxHung = 1, 3
)

// patience decides which late candidates are run again with wide bounds. Usual
// bounds are narrow, since most of what is late never ends; but one that needs
// about as much as they allow must not pass on one machine and fail on another.
type patience struct {
	mu   sync.Mutex
	hung map[string]int // by region
	all  int
}

// worth tells whether a late candidate is to be run again.
func (p *patience) worth(c candidate) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all < maxHung && p.hung[c.path+" "+c.region.ID] < maxHungRegion
}

// hangs notes a candidate that was late with wide bounds, too.
func (p *patience) hangs(c candidate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hung == nil {
		p.hung = map[string]int{}
	}
	p.hung[c.path+" "+c.region.ID]++
	p.all++
}
