// Package prepush is the Git side of the pre-push hook (SPEC S8): it writes the
// hook into a repository and takes it out again, reads what a push brings from
// Git's own words, and makes a commit of a diff.
//
// In go a folder and what Git hands to its hook; out come ranges of commits.
// Everything is asked of the person's own git, in the person's own repository,
// as the push itself does. It must never know how commits are checked or
// mended, change a working tree without being told to, or write into a folder
// of hooks that other repositories use too.
package prepush
