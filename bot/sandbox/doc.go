// Package sandbox runs commands of foreign code behind walls. It is the only
// place of the house that starts code of a repository.
//
// In go a tree (a folder on the host) and commands; out come results: exit
// status, capped output, what limit was hit. The tree itself is never shown:
// every Workspace is a disposable copy, standing at /work inside, so nothing
// that a test writes can reach a commit.
//
// The walls on Linux (SPEC C1, TRUST "Sandbox profile") are those of
// bubblewrap: own user, pid, network, ipc, uts, cgroup and mount namespaces, no
// capability, no network, a read-only system without the host's home, and on
// top a seccomp filter, resource limits, a cgroup where one is writable, else a
// watchdog. Where the kernel has it, Landlock is a second wall behind the
// mounts: bubblewrap starts a tiny program of ours (enter_linux_*.s), which
// locks itself and becomes the payload. Started as root, a private mount
// namespace holds the inside root, prepared once, and sized tmpfs, and
// everything runs as another uid. All mounts and all processes vanish with the
// host process, however it dies.
//
// Survey says of each wall whether it stands and what makes it stronger;
// RED_TEAM.md says for each attack which wall stops it, and which test shows it.
//
// It must never fall back to plain execution by itself: when the self-test
// fails, New fails and says what to install or set. The backend "none" runs
// commands with nothing but a clean environment; it has to be asked for by
// name and says so in Walls. The package does not know what it runs: nothing
// here depends on a test runner's name or output.
package sandbox
