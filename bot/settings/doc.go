// Package settings reads the two files that say what fettle may do: the
// operator's own ($XDG_CONFIG_HOME/fettle/config.yml or --config) and the
// repository's .fettle.yml.
//
// In come bytes, out come checked values. Every mistake is an Error with file,
// line, key and what is allowed; nothing is guessed, and an unknown key is a
// mistake. Secrets never stand in a file: it names an environment variable or
// another file that holds them.
//
// A repository must never configure its own jailer (TRUST principle 11):
// Narrow lets .fettle.yml only lower what the operator allows, and what belongs
// to the operator alone is refused there. LoadRepo takes bytes; which commit
// they come from is the caller's care. The package never looks for anything in
// a repository.
package settings
