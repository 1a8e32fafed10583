package loop

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// Where a model is configured, the reviewer sees what the free search found and has no
// objections to, with its rivals, in one call of the cheapest; it lowers the verdict and cannot raise it.
func TestL2TheReviewerSeesAMechanicalChange(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[string]int{"ACCEPT": 1, "FAIL": 2} {
		t.Run(verdict, func(t *testing.T) {
			t.Parallel()
			reviewed := 0
			s := newStage(t, func(c scripted.Call, _ int) scripted.Answer {
				switch role(c) {
				case "reviewer":
					if reviewed++; reviewed == 1 {
						if c.Model != "model-"+string(task.Tier1) || !strings.Contains(c.User, "a rival") {
							t.Errorf("%s is asked: %s", c.Model, c.User)
						}
						return scripted.Answer{Text: `{"verdict": "` + verdict + `", "reason": "it fits one value"}`}
					}
					return scripted.Answer{Text: `{"verdict": "ACCEPT", "reason": "good"}`}
				case "tester":
					return scripted.Answer{Text: `{"recommendation": "PASS_TO_COMMIT", "reason": "green"}`}
				case "planner", "critic":
					return scripted.Answer{Status: 500}
				}
				return says("right, by a model")
			}, task.Tier1, task.Tier2)
			s.withRoles()
			s.world.mends, s.world.doubts = "right", []string{}
			res, err := s.run(t.Context())
			if err != nil || res.Outcome != task.Success || len(res.Attempts) != want {
				t.Fatalf("%v: %s (%s) after %d attempts", err, res.Outcome, res.Reason, len(res.Attempts))
			}
			if first := res.Attempts[0]; first.Tier != task.TierMechanical || !first.Green || first.Cost == 0 {
				t.Errorf("the first attempt: %+v", first)
			}
		})
	}
}
