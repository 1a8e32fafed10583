package job

import (
	"fmt"
	"strings"
	"time"
)

// Layout of due times in job lists.
const Layout = "2006-01-02 15:04"

// Parse reads a line `id; urgency; due or -; duration; skills`.
func Parse(line string) (Job, error) {
	fields := strings.Split(line, ";")
	if len(fields) != 5 {
		return Job{}, fmt.Errorf("job: %d fields in %q, want 5", len(fields), line)
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	j := Job{ID: fields[0], Skills: strings.Fields(fields[4])}
	var err error
	if j.Urgency, err = ParseUrgency(fields[1]); err != nil {
		return Job{}, err
	}
	if fields[2] != "-" {
		if j.Due, err = time.Parse(Layout, fields[2]); err != nil {
			return Job{}, fmt.Errorf("job: %s: %w", j.ID, err)
		}
	}
	if j.Takes, err = time.ParseDuration(fields[3]); err != nil {
		return Job{}, fmt.Errorf("job: %s: %w", j.ID, err)
	}
	return j, j.Validate()
}
