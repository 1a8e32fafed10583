package contract

import (
	"strings"
	"testing"
)

// TestGraphQLIsHeldAgainstTheSchema: a query with a field that GitHub does not have, a
// variable of another type, and an answer that lacks what was asked are found.
func TestGraphQLIsHeldAgainstTheSchema(t *testing.T) {
	t.Parallel()
	const query = `{"query":"query($n:Int!){repository(owner:\"o\",name:\"r\"){pullRequest(number:$n){isDraft}}}","variables":{"n":1}}`
	for name, c := range map[string]struct{ body, answer, want string }{
		"right":               {query, `{"data":{"repository":{"pullRequest":{"isDraft":true}}}}`, ""},
		"refused":             {`{"query":"{nonsense}"}`, `{"data":null,"errors":[{"message":"no"}]}`, ""},
		"an unknown field":    {strings.Replace(query, "isDraft", "isDrafty", 1), `{"data":{}}`, "isDrafty"},
		"a variable's type":   {strings.Replace(query, `"n":1`, `"n":"one"`, 1), `{"data":{}}`, "request: "},
		"a missing variable":  {strings.Replace(query, `"n":1`, "", 1), `{"data":{}}`, "request: "},
		"a missing answer":    {query, `{"data":{"repository":{"pullRequest":{}}}}`, "data.repository.pullRequest.isDraft is missing"},
		"a null that may not": {query, `{"data":{"repository":{"pullRequest":{"isDraft":null}}}}`, "must not be null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := &recorder{status: 200}
			rec.body.WriteString(c.answer)
			if got := graphQLProblem([]byte(c.body), rec); got == "" != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
