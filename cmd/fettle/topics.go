package main

import "github.com/spf13/cobra"

// topics are what 'fettle help TOPIC' tells besides the commands.
func topics() []*cobra.Command {
	topic := func(name, short, long string) *cobra.Command {
		return &cobra.Command{Use: name, Short: short, Long: long}
	}
	return []*cobra.Command{
		topic("topics", "What help there is besides the commands'", `fettle help sandbox     where a repository's code runs
fettle help tiers       who tries to mend, in which order, at what price
fettle help exit        what the exit status says
fettle help privacy     what leaves this machine, and what is kept`),
		topic("sandbox", "Where a repository's code runs", `The code and the tests of a repository run in a sandbox, on a copy: without network,
as another user, with a home of their own, and with limits on time, memory, processes
and disk. Where the sandbox cannot be made, nothing of the repository is run.

  fettle doctor              has a line for each of its walls, with the cure
  sandbox: docker            in the operator's file takes a container engine instead

docs/safety.md tells more.`),
		topic("tiers", "Who tries to mend, in which order, at what price", `mechanical    repair without a model: free, offline, always there
tier1         the cheap model
tier2         the middle one
tier3         the strongest

Each tier has three attempts, all together at most fifteen and $1, unless the
operator's file or --max-cost says otherwise. A tier without a model is left out.
--max-tier ends the climb earlier. Models stand in the operator's file; 'fettle doctor'
asks each whether it is there. docs/models.md has the presets and the prices.`),
		topic("exit", "What the exit status says", `0    done
1    a check, a gate or a comparison is red, or an error
2    usage or configuration
3    everything that the limits allow was tried
4    a human has to decide: a gate, a draft, a question
5    refused: quarantine, permission, unsafe, no sandbox
130  stopped

141  nobody reads the output any more (as after "| head")

With --json an error is {"error": {"code", "message", "hint"}} on stdout; the codes are
error, usage, waits, refused and cancelled.`),
		topic("privacy", "What leaves this machine, and what is kept", `Nothing leaves this machine but
- what a model of yours is asked: parts of the code, the issue, what tests said.
  Files under never_send in .fettle.yml are not among them, and secrets are taken out.
  Without models nothing is sent;
- what you tell fettle to read or write on GitHub;
- installing dependencies, where the operator's file allows it.

Runs, their conversations and what was learned are kept in the state folder
($XDG_STATE_HOME/fettle), and the last run in .fettle/ of the repository, which
ignores itself in Git. There is no telemetry.`),
	}
}
