package settings

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestJudgedTheBaseSaysWhosePullRequestsAreJudged(t *testing.T) {
	t.Parallel()
	here := task.Repo{Owner: "acme", Name: "shop"}
	person := task.PullRequest{Author: "Ada", HeadRepo: "acme/shop"}
	bot := task.PullRequest{Author: "renovate[bot]", AuthorIsBot: true, HeadRepo: "acme/shop"}
	fork := task.PullRequest{Author: "eve", HeadRepo: "eve/shop"}
	gone := task.PullRequest{Author: "eve"} // the fork was deleted
	for text, want := range map[string][]bool{
		"":                                   {false, false, false, false},
		"judge: {required: true}":            {true, true, true, true},
		"judge: {pull_requests_of: people}":  {true, false, false, false},
		"judge: {pull_requests_of: [bots]}":  {false, true, false, false},
		"judge: {pull_requests_of: [forks]}": {false, false, true, true},
		"judge: {pull_requests_of: [bots, people, forks], deny: [eve, ADA]}": {false, true, false, false},
		"judge: {allow: [ada, renovate]}":                                    {true, false, false, false},
		`judge: {allow: ["renovate[bot]"]}`:                                  {false, true, false, false},
		"judge: {allow: [eve], deny: [eve]}":                                 {false, false, false, false},
	} {
		r, err := LoadRepo([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for i, pr := range []task.PullRequest{person, bot, fork, gone} {
			if got := r.Judge.Wants(here, pr); got != want[i] {
				t.Errorf("%s: %s is judged: %v", text, pr.Author, got)
			}
		}
	}
	for text, want := range map[string]string{
		"judge: {pull_requests_of: [all]}": "bots, people, forks", "judge: {allow: [\"a b\"]}": "login", "judge: {require: true}": "required", "judge: {required: true, deny: [eve]}": "all pull requests", "judge: yes please": "judge",
	} {
		if _, err := LoadRepo([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it to say %q", text, err, want)
		}
	}
}
