package forge

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// ErrSignature says that a delivery was not signed by GitHub with one of our
// secrets. It says no more, on purpose.
var ErrSignature = errors.New("the delivery's X-Hub-Signature-256 is missing or wrong")

// Verify checks the header X-Hub-Signature-256 ("sha256=" and 64 hex digits)
// of a delivery's body, which may come in parts, against each of the secrets, in
// constant time. Several
// secrets are valid at once, so that one can be rotated; empty ones count for
// nothing. SHA-1 signatures are not accepted.
func Verify(secrets [][]byte, header string, body ...[]byte) error {
	digits, ok := strings.CutPrefix(header, "sha256=")
	given, err := hex.DecodeString(digits)
	if !ok || err != nil || len(given) != sha256.Size {
		return ErrSignature
	}
	good := false
	for _, secret := range secrets {
		if len(secret) == 0 {
			continue
		}
		m := hmac.New(sha256.New, secret)
		for _, part := range body {
			m.Write(part)
		}
		if hmac.Equal(m.Sum(nil), given) {
			good = true
		}
	}
	if !good {
		return ErrSignature
	}
	return nil
}
