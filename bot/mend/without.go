package mend

import "slices"

// The parts of a search that can be left out, to measure what each is worth.
const (
	Donors      = "donors"      // code copied from elsewhere in the file or the project
	Naturalness = "naturalness" // preference for code as it is written elsewhere in the project
	Spectrum    = "spectrum"    // suspicion by which tests run a line, and how often
	Memory      = "memory"      // edits that earlier runs on the repository taught
)

// Parts lists the names that may be left out.
func Parts() []string { return []string{Donors, Naturalness, Spectrum, Memory} }

// lacks tells whether a part is left out.
func (c Config) lacks(r Request, part string) bool {
	return c.Without[part] || slices.Contains(r.Task.Mending.Without, part)
}

// lacks tells whether a part of the search is left out.
func (s *search) lacks(part string) bool { return s.mender.cfg.lacks(s.req, part) }
