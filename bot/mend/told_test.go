package mend

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestR1ValuesOfAssertionsSpeakForAConstant(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		message, before, after string
		want                   bool
	}{
		{"AssertionError: assert '' == 0\n + where '' = f(6)", `""`, "0", true},
		{"assert 'kg' == 'g'", "'kg'", "'g'", true},
		{"AssertionError: 3 != 4", "3", "4", true},
		{"Expected values to be strictly equal:\n\n'no' !== 'yes'\n", `"no"`, `"yes"`, true},
		{"unit() = lb, want oz", `"lb"`, `"oz"`, true},
		{"got 7, want 8", "7", "8", true},
		{"got 7, want 8", "8", "7", false},
		{"assert 3 == 4", "3", "5", false},
		{"TypeError: no", "3", "4", false},
	} {
		heard := target{red: []verify.TestResult{{Failure: &task.Failure{Message: tc.message}}}}.hear()
		if heard.suits(tc.before, tc.after) != tc.want {
			t.Errorf("%q: %s → %s: %v", tc.message, tc.before, tc.after, heard)
		}
	}
}
