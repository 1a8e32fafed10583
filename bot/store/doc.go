// Package store is the database of fettle and the engine of its jobs: what
// must survive a crash lives here and nowhere else.
//
// In flow deliveries (webhooks as they came), runs, what the loop journals
// about a run (messages, decisions, money set aside, saved states) and
// outward actions under once-only keys. Out flow leases on runs, in fair order
// between repositories, and the record of everything for reports.
//
// The promises:
//
//   - A delivery for which Accept returned is on disk, and Work finds it there.
//   - At most one live run exists per (installation, repository, issue).
//   - A run is written by one holder at a time. Each lease carries a fencing
//     token that only grows; every write compares it in its own transaction,
//     so a worker that was stopped and continued is refused (ErrFenced).
//   - Everything stored passes the redactor: words without secrets of any known
//     shape, and no document with a secret that this process was told of.
//   - Times are UTC microseconds of the injected clock, never the database's.
//   - SQLite and Postgres behave alike; package storetest holds the suite that
//     both pass.
//
// The rows are the truth: deliveries are taken from their own, and River's jobs
// are wake-ups for runs. One that comes twice finds nothing to do, one that is lost
// is made up for by a poll.
//
// The store must never know of GitHub, of models or of policy, and never
// start repository code.
package store
