package settings

import "time"

// Keep is for how long what was done is kept (SPEC O5). Zero is for ever.
type Keep struct {
	Deliveries    time.Duration // what GitHub sent
	Conversations time.Duration // what models were told and said, in runs that have ended
	Runs          time.Duration // runs that have ended, but for those of an open pull request
	Mirrors       time.Duration // on each machine, mirrors and indexes that nobody used
	MirrorBytes   int64         // on each machine, of mirrors together; the longest unused go first
}

// Lower limits: GitHub sends a delivery again for three days, and the caps count a month.
const (
	day            = 24 * time.Hour
	leastDelivered = 4
	leastRuns      = 32
	mostDays       = 36_500
)

func defaultKeep() Keep {
	return Keep{Deliveries: 14 * day, Conversations: 90 * day, Runs: 730 * day, Mirrors: 30 * day, MirrorBytes: 20 << 30}
}

func keep(v value) (Keep, error) {
	k := defaultKeep()
	gb := float64(k.MirrorBytes >> 30)
	days := func(least int64) func(value) (time.Duration, error) {
		return func(v value) (time.Duration, error) {
			n, err := whole[int64](0, mostDays)(v)
			if err == nil && n > 0 && n < least {
				err = v.errorf("must be 0, for ever, or at least %d days", least)
			}
			return time.Duration(n) * day, err
		}
	}
	err := first(
		v.only(nil, "deliveries_days", "conversations_days", "runs_days", "mirrors_days", "mirrors_gb"),
		set(v, "deliveries_days", &k.Deliveries, days(leastDelivered)),
		set(v, "conversations_days", &k.Conversations, days(1)),
		set(v, "runs_days", &k.Runs, days(leastRuns)),
		set(v, "mirrors_days", &k.Mirrors, days(1)),
		set(v, "mirrors_gb", &gb, func(v value) (float64, error) { return v.number(0.1, maxCacheGB) }),
	)
	k.MirrorBytes = int64(gb * (1 << 30))
	return k, err
}
