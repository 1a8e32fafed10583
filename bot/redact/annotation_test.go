package redact

import (
	"bytes"
	"testing"
)

func TestX3AnAnnotationOfOthersIsNoCommand(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Annotate(&out, Annotation{Level: Error, Title: "a,b::c\n::stop", Message: "100 %\n::add-mask::x\r\n", File: "a,b:c.py", Line: 3}); err != nil {
		t.Fatal(err)
	}
	if want := "::error file=a%2Cb%3Ac.py,line=3,title=a%2Cb%3A%3Ac%0A%3A%3Astop::100 %25%0A::add-mask::x%0D%0A\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}
