package heal

import (
	"bytes"
	"errors"
	"os"
	"sync"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/settings"
)

// Policy is a heal.yml that is read anew whenever it changes (SPEC H6).
type Policy struct {
	file string
	log  logrus.FieldLogger
	mu   sync.Mutex
	raw  []byte // as it was read last
	now  settings.Heal
	err  error // of what was read last; what held before goes on holding
}

// OpenPolicy reads the file; one that is not there is the default. A mistake in it is
// an error here, where nothing holds yet.
func OpenPolicy(file string, log logrus.FieldLogger) (*Policy, error) {
	p := &Policy{file: file, log: log, now: settings.DefaultHeal()}
	p.Get()
	return p, p.err
}

// Get is what holds now. The whole file is compared: a time stamp can miss a change.
func (p *Policy) Get() settings.Heal {
	raw, err := os.ReadFile(p.file)
	p.mu.Lock()
	defer p.mu.Unlock()
	if errors.Is(err, os.ErrNotExist) {
		raw, err = nil, nil
	}
	if err == nil && bytes.Equal(raw, p.raw) {
		return p.now
	}
	next := settings.Heal{}
	if err == nil {
		next, err = settings.ParseHeal(p.file, raw)
	}
	if err != nil {
		if p.err == nil || p.err.Error() != err.Error() {
			p.log.WithError(err).Error("heal: the new policy is refused, and the one before goes on holding")
		}
		if p.err, p.raw = err, raw; raw == nil {
			p.raw = []byte{0} // it could not be read: no content is like it
		}
		return p.now
	}
	p.now, p.raw, p.err = next, raw, nil
	return p.now
}

// Err is why the file as it stands is refused, or nil.
func (p *Policy) Err() error {
	p.Get()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
