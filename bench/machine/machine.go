// Package machine tells when and on what figures are taken.
package machine

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Line is a line that tells when and on what figures are taken.
func Line() string {
	return fmt.Sprintf("%s, %s on %d cores, load %s", time.Now().Format(time.DateTime), runtime.Version(), runtime.NumCPU(), Load())
}

// Load is the load of the machine over 1, 5 and 15 minutes, where it is told.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	words := strings.Fields(string(text))
	if err != nil || len(words) < 3 {
		return "not known"
	}
	return strings.Join(words[:3], " ")
}
