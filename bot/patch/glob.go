package patch

// Match tells whether one of the globs covers a path, by the rules of
// DefaultProtected.
func Match(globs []string, name string) bool { return matches(globs, name) != "" }
