package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// dateZone reads and writes all parts of a date in UTC, or all in local time.
func dateZone(s *scene, n code.Node) {
	if n.Kind() != "expression_statement" && n.Kind() != "return_statement" && n.Kind() != "lexical_declaration" && n.Kind() != "template_string" {
		return
	}
	text := n.Text()
	if strings.Contains(text, "\n") {
		return
	}
	utc, local, count := text, text, 0
	for _, part := range []string{"FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds", "Milliseconds"} {
		for _, verb := range []string{"get", "set"} {
			count += strings.Count(text, "."+verb+part+"(") + strings.Count(text, "."+verb+"UTC"+part+"(")
			utc = strings.ReplaceAll(utc, "."+verb+part+"(", "."+verb+"UTC"+part+"(")
			local = strings.ReplaceAll(local, "."+verb+"UTC"+part+"(", "."+verb+part+"(")
		}
	}
	if count > 1 {
		s.put(n.Start(), n.End(), utc, 1, "Read and write the date in UTC.")
		s.put(n.Start(), n.End(), local, 1, "Read and write the date in local time.")
	}
}
