package agent

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// Look orders places by the strategies against the failures: behind what the
// step names, what the most frequent class of failure says to look at first
// comes first, the others keep their order. Functions and callers are ranked by
// localisation already.
func Look(places []Place, failures []task.Failure) []Place {
	var wanted []string
	for _, s := range StrategiesFor(failures) {
		wanted = append(wanted, s.Look...)
	}
	rank := func(p Place) int {
		if p.Target {
			return -1
		}
		for n, kind := range wanted {
			if looksLike(kind, p, failures) {
				return n
			}
		}
		return len(wanted)
	}
	out := slices.Clone(places)
	slices.SortStableFunc(out, func(a, b Place) int { return rank(a) - rank(b) })
	return out
}

var (
	routes  = lazyregexp.New(`@\w+\.(route|get|post|put|patch|delete|websocket)\(|\b(router|app|mux|r)\.(get|post|put|patch|delete|use|Get|Post|Put|Delete|Handle|HandleFunc|Group)\(|\b(include_router|add_url_rule|add_api_route|urlpatterns|HandleFunc)\b`)
	schemas = lazyregexp.New(`\b(BaseModel|Schema|Serializer|TypedDict|@validator|@field_validator|model_validator|Joi\.|z\.object|validate\w*)\b|validate:"`)
)

// looksLike tells whether a place is of the kind that a strategy looks at.
func looksLike(kind string, p Place, failures []task.Failure) bool {
	switch kind {
	case "imports":
		return p.Region.Kind == code.KindBlock && p.Region.Name == "imports"
	case "test":
		return code.IsTest(p.Path)
	case "route":
		return routes.MatchString(p.Code)
	case "schema":
		return schemas.MatchString(p.Code)
	case "signature":
		return p.Region.Name != "" && slices.ContainsFunc(failures, func(f task.Failure) bool { return strings.Contains(f.Message, p.Region.Name+"(") })
	}
	return false
}
