package verify

import (
	"slices"
	"strings"
	"testing"
)

func TestC2MochaIsGivenWhatDecidesWhichTestsRunAndNotHowTheyAreShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, want string }{
		{"mocha", "| |"},
		{"mocha --reporter spec --check-leaks test/ test/acceptance/", "| |--check-leaks test/ test/acceptance/"},
		{"TZ=UTC nyc --reporter=text npx mocha -R dot -b --require=./x.js --parallel 'a b/*.js'", "TZ=UTC| |--require=./x.js a b/*.js"},
		{"tsc && node --no-warnings ./node_modules/mocha/bin/mocha.js --exit -w", "|--no-warnings |"},
	} {
		env, flags, args := MochaCommand(mochaArgv(c.script))
		var set []string
		for k, v := range env {
			set = append(set, k+"="+v)
		}
		slices.Sort(set)
		if got := strings.Join(set, " ") + "|" + strings.Join(flags, " ") + " |" + strings.Join(args, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.script, got, c.want)
		}
	}
	for _, script := range []string{"node --test", "jest", "echo mochas", ""} {
		if got := mochaArgv(script); got != nil {
			t.Errorf("%q runs mocha as %q", script, got)
		}
	}
}
