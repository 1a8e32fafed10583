// Package actions is the door of GitHub Actions: it reads what a runner tells a
// step of its job, refuses events that may not run with a token that writes, and
// writes outputs, annotations, the job's summary and its record. Beside it lie the
// action itself (action.yml) and the scripts that it runs.
//
// In come the variables and the event file of a job; out come a Job and lines that
// a runner reads. The package does not know how work is run, decides nothing about
// who may command (bot does, as for the App), and prints no foreign text that a
// runner could take for a command.
package actions
