package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is set by the release build: -ldflags "-X main.version=v1.2.3".
var version = ""

// versionWords is the version of this program: the release build's, else what
// Go wrote into it, which is the module's version or the commit.
func versionWords() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	said := map[string]string{}
	for _, s := range info.Settings {
		said[s.Key] = s.Value
	}
	if said["vcs.revision"] == "" {
		return "unknown, built without its repository"
	}
	words := fmt.Sprintf("commit %.12s", said["vcs.revision"])
	if day, _, ok := strings.Cut(said["vcs.time"], "T"); ok {
		words += " of " + day
	}
	if said["vcs.modified"] == "true" {
		words += ", changed"
	}
	return words
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return printf(c.OutOrStdout(), "fettle version %s\n", versionWords())
		},
	}
}
