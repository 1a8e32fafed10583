package settings

// Rules are repair rules of the operator's own. A repository names none.
type Rules struct {
	Files   []string // absolute
	Trusted []string // names of rules whose changes need no second look
}

func rules(v value, path func(value) (string, error)) (Rules, error) {
	var r Rules
	return r, first(
		v.only(nil, "files", "trusted"),
		set(v, "files", &r.Files, func(v value) ([]string, error) { return listOf(v, "files", path) }),
		set(v, "trusted", &r.Trusted, func(v value) ([]string, error) { return v.strings(nil) }),
	)
}
