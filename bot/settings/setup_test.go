package settings

import (
	"strings"
	"testing"
	"time"
)

func TestC1WhatSetupsMayReachIsTheOperatorsWord(t *testing.T) {
	t.Parallel()
	s, err := Parse("c.yml", []byte(`
setup:
  allow: [index.example.com, "*.files.example.com", mirror.corp:8081, "[fd00::1]:8080"]
  allow_private: [mirror.corp:8081]
  env: {PIP_INDEX_URL: "https://index.example.com/simple", GOPROXY: "https://index.example.com/go"}
  timeout: 5m
  cache_gb: 0.5
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Setup; len(got.Allow) != 4 || got.AllowPrivate[0] != "mirror.corp:8081" || got.Env["GOPROXY"] != "https://index.example.com/go" || got.Timeout != 5*time.Minute || got.CacheBytes != 1<<29 || got.Offline {
		t.Errorf("%+v", got)
	}
	none, err := Parse("c.yml", nil)
	if err != nil || len(none.Setup.Allow) != 0 || none.Setup.Offline || none.Setup.Timeout == 0 || none.Setup.CacheBytes == 0 {
		t.Errorf("without a word: %+v %v", none.Setup, err)
	}
	for text, want := range map[string]string{
		"{allow: [\"https://index.example.com\"]}":                     "c.yml:1: setup.allow[0]: names a host",
		"{allow: [\"*\"]}":                                             "must be HOST",
		"{allow: [\"*.com\"]}":                                         "must be HOST",
		"{allow: [\"a.example:0\"]}":                                   "must be HOST",
		"{allow_private: [\"*.corp.example\"]}":                        "names one host",
		"{hosts: [a.example]}":                                         "unknown key",
		"{env: {PIP_INDEX_URL: \"https://me:verysecret@a.example/\"}}": "looks like a secret",
		"{env: {\"A B\": x}}":                                          "no name",
		"{env: [x]}":                                                   "must be names",
		"{timeout: 0s}":                                                "timeout",
		"{cache_gb: 0}":                                                "cache_gb",
		"[a.example]":                                                  "setup",
	} {
		if _, err := Parse("c.yml", []byte("setup: "+text+"\n")); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := LoadRepo([]byte("setup: {allow: [a.example]}\n")); err == nil {
		t.Error("a repository allowed itself a host")
	}
}
