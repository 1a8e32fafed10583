// Package hooks is how work comes in. Webhook is the door for GitHub's
// deliveries: it verifies the signature before it reads anything else, hands
// the delivery over to be stored, and only then answers 2xx.
//
// In go HTTP requests of anybody; out goes a verified payload with its ids.
// It must never know how work is run, ask GitHub anything, or answer 2xx for
// what was not stored.
package hooks
