package settings

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// known is an agent by name. One with a command was tried as a tier, in the version that
// stands there. It gets its order on standard input, works in the current folder and
// finds the model under OPENAI_BASE_URL by the name in FETTLE_MODEL.
type known struct {
	tried   string // "untried", or the program and its version
	command []string
}

const untried = "untried"

// agents are those that a tier may name. The untried are refused with that word: the
// gateway takes chat completions alone, and they may ask their provider in another form.
var agents = map[string]known{
	// Its map of the repository comes from Git, of which the sandbox's copy has nothing.
	"aider": {"Aider 0.86.2", []string{"sh", "-c", `git init -q && git add -A && git -c user.name=fettle -c user.email=fettle@localhost commit -qm base &&
exec aider --model "openai/$FETTLE_MODEL" --message-file /dev/stdin --yes-always --no-auto-commits --no-check-update --no-show-model-warnings --no-show-release-notes --no-analytics --no-gitignore --no-suggest-shell-commands --no-detect-urls --no-pretty --no-stream`}},
	// It knows no prices of models that it does not know; the gateway counts.
	"mini-swe-agent": {"mini-SWE-agent 2.4.6", []string{"sh", "-c", `MSWEA_CONFIGURED=true MSWEA_SILENT_STARTUP=1 MSWEA_COST_TRACKING=ignore_errors exec mini --yolo --exit-immediately --model "openai/$FETTLE_MODEL" --cost-limit 0 --output /tmp/trajectory.json --task "$(head -c 100000)"`}},
	"claude-code":    {tried: untried},
	"codex":          {tried: untried},
	"copilot":        {tried: untried},
	"gemini":         {tried: untried},
	"opencode":       {tried: untried},
}

// command is a command line: its words, or one line for the shell.
func command(v value) ([]string, error) {
	words, err := v.strings(nil)
	if len(words) == 1 {
		words = []string{"sh", "-c", words[0]}
	}
	return words, err
}

// agentName is what a command is called.
func agentName(command []string) string {
	for name, known := range agents {
		if known.tried != untried && slices.Equal(known.command, command) {
			return name
		}
	}
	words := command
	if len(command) == 3 && command[0] == "sh" && command[1] == "-c" {
		words = strings.Fields(command[2])
	}
	if len(words) == 0 {
		return ""
	}
	return path.Base(words[0])
}

// agent gives the command of a known agent.
func agent(v value) ([]string, error) {
	name, err := v.string()
	if err != nil {
		return nil, err
	}
	if agents[name].tried == untried {
		return nil, v.errorf("%s is untried as a tier: it may not ask by OpenAI's chat completions, all that it could reach; give a command to try it", name)
	}
	var tried []string
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		if agents[name].tried != untried {
			tried = append(tried, name)
		}
	}
	if name, err = v.oneOf(tried...); err != nil {
		return nil, err
	}
	return agents[name].command, nil
}
