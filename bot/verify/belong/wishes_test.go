package belong

import "testing"

func TestC10ATestOfOneWishShowsNoOtherOne(t *testing.T) {
	t.Parallel()
	wishes := []string{
		"Both shifts must belong to this plan, otherwise `ValueError`.",
		"`ValueError` when one of the two people would then have two shifts on the same day.",
		"Every swap is recorded in `plan.history` as `(day, old person, new person)`.",
		"`ValueError` when somebody would have less than eleven hours of rest between two shifts.",
	}
	tests := []Red{
		{ID: "recorded", Name: "test_swap_is_recorded", Source: "def test_swap_is_recorded():\n    plan = Plan()\n    plan.swap(a, b)\n    assert plan.history == [(MONDAY, 'Ada', 'Ben')]\n"},
		{ID: "foreign", Name: "test_shift_that_does_not_belong_to_the_plan", Source: "def test_shift_that_does_not_belong_to_the_plan():\n    with pytest.raises(ValueError):\n        plan.swap(a, other)\n    assert both.belong\n"},
	}
	got := Shown(wishes, tests)
	for n, want := range []string{"foreign", "", "recorded", ""} {
		if got[n] != want {
			t.Errorf("%s is shown by %q, want %q", wishes[n], got[n], want)
		}
	}
	if got := Shown(wishes[3:], tests); got[0] != "foreign" {
		t.Errorf("a wish alone is shown by %q", got[0])
	}
}
