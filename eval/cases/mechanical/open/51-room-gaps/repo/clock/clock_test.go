package clock

import "testing"

func TestTimes(t *testing.T) {
	for _, text := range []string{"00:00", "09:30", "24:00"} {
		if got, err := ParseTime(text); err != nil || got.String() != text {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"9", "09:60", "24:01", "09:5", "x:00"} {
		if _, err := ParseTime(text); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}

func TestSpans(t *testing.T) {
	if got, err := ParseSpan("09:00-10:30"); err != nil || got.Minutes() != 90 {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := ParseSpan("10:00-10:00"); err == nil {
		t.Error("no error")
	}
}

func TestMeets(t *testing.T) {
	if (Span{1, 3}).Meets(Span{3, 5}) || !(Span{1, 4}).Meets(Span{3, 5}) {
		t.Error("wrong")
	}
}

func TestWithin(t *testing.T) {
	if got := (Span{1, 9}).Within(Span{3, 5}); got != (Span{3, 5}) {
		t.Errorf("got %v", got)
	}
	if got := (Span{1, 2}).Within(Span{3, 5}); got.Minutes() != 0 {
		t.Errorf("got %v", got)
	}
}
