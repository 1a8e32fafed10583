package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/actions"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/judge"
)

// requireNothing has a job end well whatever the judgement is.
const requireNothing = "nothing"

func newActionJudge(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "judge",
		Short: "Judge the pull request of a GitHub Actions job",
		Long: `judge is what the GitHub Action for judging runs (actions/judge/action.yml,
docs/actions.md). It judges the pull request of the job's event in the checkout of the
job, without any token: forks are judged like everybody.

It reads GITHUB_EVENT_PATH, GITHUB_EVENT_NAME, GITHUB_WORKSPACE and RUNNER_TEMP, and
its input from FETTLE_REQUIRE: plausible, proven, or nothing. It sets the outputs
judgement, risk and report, writes the job's summary, and prints annotations.

Exit status as of 'fettle judge'; 5 also on pull_request_target.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return g.judgeJob(c) },
	}
}

func (g *global) judgeJob(c *cobra.Command) error {
	job, pr, err := actions.ReadPull(os.Getenv)
	var no *actions.Refusal
	switch {
	case errors.As(err, &no):
		return refused(no)
	case err != nil:
		return &exitError{exitUsage, err}
	}
	require := os.Getenv("FETTLE_REQUIRE")
	if require == "" {
		require = string(judge.Plausible)
	}
	if !slices.Contains([]string{string(judge.Plausible), string(judge.Proven), requireNothing}, require) {
		return usage("the input require takes plausible, proven or nothing, and got %q", require)
	}
	report, funnel, err := g.judged(c, os.Getenv("GITHUB_WORKSPACE"), "", checkout.Span{Base: pr.Base, Head: pr.Head}, opinion{}, false)
	if errors.Is(err, checkout.ErrNoRef) {
		return usage("%w; give actions/checkout 'fetch-depth: 0', so that the commits of the pull request are here", err)
	}
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := judge.Markdown(&text, report, funnel); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(job.Record(), "judge.json")
	err = errors.Join(job.Write("judge.json", raw), job.Summarise(text.String()), judge.Annotations(c.OutOrStdout(), report), job.SetOutputs(
		actions.Output{Name: "judgement", Value: string(report.Judgement)},
		actions.Output{Name: "risk", Value: strconv.Itoa(report.Risk.Score)},
		actions.Output{Name: "report", Value: file}))
	if err != nil || require == requireNothing {
		return err
	}
	return judgeEnding(report, judge.Judgement(require))
}
