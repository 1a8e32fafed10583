package main

import "github.com/spf13/cobra"

// takes checks that a command got so many arguments, or says what it takes.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage("%s takes %s", c.CommandPath(), what)
		}
		return nil
	}
}

const aRun = "the id of one run; see 'fettle runs list'"

var oneRun = takes(1, 1, aRun)

func atMostOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage("%s takes %s, and got %q", c.CommandPath(), what, args)
		}
		return nil
	}
}

func oneFolder(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("%s takes one folder, and got %q; see '%s --help'", c.Name(), args, c.CommandPath())
	}
	return nil
}

func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments, and got %q; see '%s --help'", c.CommandPath(), args[0], c.CommandPath())
	}
	return nil
}
