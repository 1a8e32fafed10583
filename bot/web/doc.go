// Package web is what people and programs see of a server: pages, a REST API, a stream
// of events and metrics, on the same process and database.
//
// In flows what bot/store holds; out goes HTML that reads without JavaScript, JSON that
// openapi.json describes, and Prometheus' text. Everything shown passes bot/redact. Whoever
// asks has a grant (login.go): reader or operator, of everything or of installations and
// repositories; what is outside of it is not there (404). Changes go through bot.App, by
// the calls that the commands of comments go through too.
//
// It must never change a row of its own but logins, and never show what the funnel has
// not seen.
package web
