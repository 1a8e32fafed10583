// Package forge is fettle's side of GitHub: it authenticates as a GitHub App,
// decodes webhook deliveries into task events, reads issues, and publishes
// what a run made: reactions, labels, one status comment, commits, a pull
// request, a check run.
//
// In go foreign payloads and our own texts and files; out come values of
// package task and changes on GitHub. Every operation that creates something
// looks first for what an earlier, interrupted call has left, so that a
// repeat after a crash finds it instead of making a second one. Every text
// that leaves passes the Funnel. A rate limit is an answer (*RateLimited),
// never a sleep: the caller parks its run and its worker is free.
//
// It must never hold policy (who may command, what a comment says), read state
// back from a comment, push to a default branch, force a branch, or show a
// token to anything but GitHub's API and the caller of Token. It is the only
// importer of go-github and ghinstallation.
package forge
