// Package agenda lists what a crontab would start.
package agenda

import (
	"fmt"
	"sort"
	"strings"

	"agenda/civil"
	"agenda/cron"
)

// Job is one line of the table.
type Job struct {
	Name     string
	Schedule cron.Schedule
}

// Run is a planned start.
type Run struct {
	At   civil.Moment
	Name string
}

// ParseTable reads lines such as "0 9 * * 1-5 backup" or "@daily cleanup".
func ParseTable(text string) ([]Job, error) {
	var jobs []Job
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		n := 5
		if strings.HasPrefix(line, "@") {
			n = 1
		}
		if len(f) != n+1 {
			return nil, fmt.Errorf("line %d: cannot read %q", i+1, line)
		}
		s, err := cron.Parse(strings.Join(f[:n], " "))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		jobs = append(jobs, Job{f[n], s})
	}
	return jobs, nil
}

// Between lists all runs after `from` and not later than `to`.
func Between(jobs []Job, from, to civil.Moment) []Run {
	var runs []Run
	for _, j := range jobs {
		at, ok := j.Schedule.Next(from)
		for ok && !to.Before(at) {
			runs = append(runs, Run{at, j.Name})
			at, ok = j.Schedule.Next(at)
		}
	}
	sort.SliceStable(runs, func(a, b int) bool { return runs[a].At.Before(runs[b].At) })
	return runs
}

// Upcoming prints the next run of every job, the earliest first.
func Upcoming(jobs []Job, from civil.Moment) string {
	var runs []Run
	for _, j := range jobs {
		if at, ok := j.Schedule.Next(from); ok {
			runs = append(runs, Run{at, j.Name})
		}
	}
	sort.SliceStable(runs, func(a, b int) bool { return runs[a].At.Before(runs[b].At) })
	var b strings.Builder
	for _, r := range runs {
		fmt.Fprintf(&b, "%s  %s\n", r.At, r.Name)
	}
	return b.String()
}
