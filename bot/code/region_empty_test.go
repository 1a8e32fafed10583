package code

import "testing"

// A body that comes or goes is no change of what callers see.
func TestAnEmptyBodyOfRubyIsNoPartOfTheSignature(t *testing.T) {
	t.Parallel()
	signature := func(src string) string {
		regions, err := Regions(t.Context(), "a.rb", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range regions {
			if r.QualifiedName == "A.f" {
				return r.Signature
			}
		}
		t.Fatalf("no method in %+v", regions)
		return ""
	}
	empty, full := signature("class A\n  def f(a, b = 1)\n  end\nend\n"), signature("class A\n  def f(a, b = 1)\n    a\n  end\nend\n")
	if empty != full || empty != "def f(a, b = 1)" {
		t.Errorf("empty: %q, full: %q", empty, full)
	}
}
