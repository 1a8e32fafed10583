// Package command is the grammar of "/fettle …" lines in comments: it finds
// them in a comment's text and says what they ask for, or what is wrong with
// them.
//
// In goes foreign Markdown; out come Commands and ready sentences for a reply.
// It must never act, know who wrote the text, or see a command where GitHub
// shows code, a quote or nothing at all.
package command
