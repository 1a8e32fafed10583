package broken

// Two is two.
func Two() int { return 2 }
