package access

import "testing"

func TestHeldEndInForce(t *testing.T) {
	c := checker(t, "allow ann * /a/**\nend\ndeny * * /a/**\ndeny ann read /a/b")
	for _, action := range []string{"read", "write"} {
		if d := c.Check(Request{"ann", action, "/a/b", 1}); !d.Allowed || d.Line != 1 {
			t.Errorf("%s: %v", action, d)
		}
	}
	if len(c.Rules) != 1 {
		t.Errorf("%d rules", len(c.Rules))
	}
}
