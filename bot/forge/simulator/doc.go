// Package simulator is a GitHub for the demo and the tests: what a GitHub App
// meets, on loopback, with real parts.
//
// In come folders and repositories (AddRepo), what humans do (OpenIssue,
// Label, Comment, Close, MergePull), a GitHub App's REST and GraphQL requests
// under /api/v3 and /api/graphql, and git over smart HTTP at /owner/name.git.
// Out come GitHub's answers, signed webhooks, plain pages to look at
// (/owner/name/…), and a Snapshot for tests. Everything is kept under
// Config.Root, so that a restart continues where the last one stopped. A test
// in another process drives the same things over /_simulator/….
//
// The shapes are written from GitHub's published REST description, which the
// contract package checks on every call. The package imports nothing of
// fettle and no GitHub client library, so that a shared misunderstanding
// cannot pass. It must never be told about fettle, never run code of the
// repositories it holds, and never be put on a public address: whoever knows the
// token of /_simulator/ may do everything.
package simulator
