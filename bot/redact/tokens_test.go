package redact

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

func TestX1TokensOfALongLifeTakeBoundedRoom(t *testing.T) {
	t.Parallel()
	f := New("the-operators-own-secret")
	token := func(n int) string { return fmt.Sprintf("ghs_%036d", n) }
	for n := range maxShort + 200 {
		f.AddToken(token(n))
	}
	if n := len(f.known); n > 6*(maxShort+1) {
		t.Errorf("%d values are kept", n)
	}
	newest := base64.StdEncoding.EncodeToString([]byte(token(maxShort + 199)))
	for _, s := range []string{"the-operators-own-secret", token(0), token(maxShort + 199), newest} {
		if got := f.Secrets("a " + s + " b"); strings.Contains(got, s) {
			t.Errorf("%q got through", got)
		}
	}
}

func TestX1APasswordBeforeAnAtSignInDisguiseIsHidden(t *testing.T) {
	t.Parallel()
	got := New().Comment("see http://x:hunter22&#64;db.example/")
	if strings.Contains(got, "hunter22") || New().Comment(got) != got {
		t.Errorf("%q", got)
	}
}
