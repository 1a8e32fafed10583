package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tailscale/hujson"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
)

// tasksFile is where VS Code has the tasks of a folder.
const tasksFile = ".vscode/tasks.json"

// editorTask is a task of VS Code.
type editorTask struct {
	Label   string         `json:"label"`
	Type    string         `json:"type"`
	Command string         `json:"command"`
	Args    []string       `json:"args"`
	Group   string         `json:"group,omitempty"`
	Matcher *editorMatcher `json:"problemMatcher,omitempty"`
}

type editorMatcher struct {
	Owner    string        `json:"owner"`
	Source   string        `json:"source"`
	Location []string      `json:"fileLocation"`
	Pattern  editorPattern `json:"pattern"`
}

type editorPattern struct {
	Regexp  string `json:"regexp"`
	File    int    `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message int    `json:"message"`
	Code    int    `json:"code"`
}

// editorTasks are the tasks that fettle offers. What prints lines with places has a matcher:
// path:line:column: message [rule], of 'review' without the column.
func editorTasks() []editorTask {
	found := &editorMatcher{Owner: "fettle", Source: "fettle", Location: []string{"relative", "${workspaceFolder}"},
		Pattern: editorPattern{`^(.+?):(\d+):(?:(\d+):)? (.*) \[([^\]]+)\]$`, 1, 2, 3, 4, 5}}
	of := func(label, group string, m *editorMatcher, args ...string) editorTask {
		return editorTask{"fettle: " + label, "process", "fettle", args, group, m}
	}
	return []editorTask{
		of("check", "test", found, "check", "--format", "unix"),
		of("check what changed", "test", found, "check", "--fast", "--format", "unix"),
		of("fix what is red", "", nil, "fix", "--fix-until-green"),
		of("diff", "", nil, "runs", "diff"),
		of("apply", "", nil, "apply"),
		of("undo", "", nil, "undo"),
		of("review", "", found, "review"),
		of("pr-ready", "", nil, "pr-ready", "--dry-run"),
	}
}

// editorKeys is the same for editors that have no tasks.
const editorKeys = `Other editors read 'fettle check --format unix' and 'fettle review' as path:line: what.

Vim and Neovim, in vimrc:
  set errorformat^=%f:%l:%c:\ %m
  nnoremap <leader>fc :cgetexpr system('fettle check --format unix')<CR>:copen<CR>
  nnoremap <leader>ff :!fettle fix --fix-until-green<CR>
  nnoremap <leader>fd :!fettle runs diff<CR>
  nnoremap <leader>fa :!fettle apply<CR>

Emacs, in init.el:
  (global-set-key (kbd "C-c f c") (lambda () (interactive) (compile "fettle check --format unix")))
  (global-set-key (kbd "C-c f f") (lambda () (interactive) (compile "fettle fix --fix-until-green")))
  (global-set-key (kbd "C-c f d") (lambda () (interactive) (shell-command "fettle runs diff")))

Any editor that speaks the Language Server Protocol: 'fettle lsp'.
`

func newEditorTasks() *cobra.Command {
	var repo string
	var show, keys bool
	c := &cobra.Command{
		Use:   "editor-tasks",
		Short: "Add fettle's tasks to VS Code, and print key bindings for other editors",
		Long: `editor-tasks adds tasks to .vscode/tasks.json of the folder: check, fix, diff, apply, undo,
review and pr-ready. What they find is shown at its lines. The file keeps every byte that
is in it, comments and trailing commas too; a task of the same label stays as it is, so
that a second time nothing changes. A file that cannot be read is not written over.

--dry-run says what would be added, --print prints the whole file, and --keys prints key
bindings of Vim, Neovim and Emacs.

Exit status: 0 written, or all was there; 2 usage, or a file that is no JSON with comments.`,
		Example: `  fettle editor-tasks
  fettle editor-tasks --dry-run
  fettle editor-tasks --keys`,
		Args: noArgs,
	}
	var dry bool
	c.RunE = func(c *cobra.Command, _ []string) error {
		if setOf(show, dry, keys) > 1 {
			return usage("--dry-run, --print and --keys exclude each other")
		}
		if keys {
			return printf(c.OutOrStdout(), "%s", editorKeys)
		}
		dir, err := folder(repo)
		if err != nil {
			return err
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return usage("opening %s: %w", dir, err)
		}
		defer root.Close()
		old, err := regular.ReadIn(root, tasksFile, 4<<20)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return usage("reading %s: %w", tasksFile, err)
		}
		text, added, err := withTasks(old, editorTasks())
		if err != nil {
			return usage("%s is left as it is: %w; mend that line", tasksFile, err)
		}
		switch {
		case show:
			_, err = c.OutOrStdout().Write(text)
			return err
		case len(added) == 0:
			return printf(c.OutOrStdout(), "%s has them all already\n", tasksFile)
		case dry:
			return printf(c.OutOrStdout(), "would add to %s: %s\n", tasksFile, strings.Join(added, ", "))
		}
		if err := writeTasks(root, text); err != nil {
			return err
		}
		return printf(c.OutOrStdout(), "added %s to %s: %s\n  next  in VS Code: Terminal, Run Task; 'fettle editor-tasks --keys' is for other editors\n", task.Count(len(added), "task"), tasksFile, strings.Join(added, ", "))
	}
	pathVar(c, &repo, "repo", ".", "the `DIR` that is opened in the editor")
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would be added, and write nothing")
	c.Flags().BoolVar(&show, "print", false, "print the file as it would be, and write nothing")
	c.Flags().BoolVar(&keys, "keys", false, "print key bindings for other editors, and write nothing")
	return c
}

// writeTasks puts a new file in the place of the old one, which is whole until then.
func writeTasks(root *os.Root, text []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := root.Stat(tasksFile); err == nil {
		mode = info.Mode().Perm()
	}
	err := root.MkdirAll(".vscode", 0o755)
	const beside = tasksFile + ".fettle-new"
	if err == nil {
		err = root.WriteFile(beside, text, mode)
	}
	if err == nil {
		err = root.Rename(beside, tasksFile)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", tasksFile, err), root.RemoveAll(beside))
	}
	return nil
}

// withTasks adds the tasks whose labels are not in a tasks.json, and says which. What is in
// the file stays as it is to the byte.
func withTasks(old []byte, all []editorTask) (text []byte, added []string, err error) {
	bom := []byte("\uFEFF")
	body, marked := bytes.CutPrefix(old, bom)
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{\n  \"version\": \"2.0.0\",\n  \"tasks\": []\n}\n")
	}
	file, err := hujson.Parse(body)
	if err != nil {
		return nil, nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	top, ok := file.Value.(*hujson.Object)
	if !ok {
		return nil, nil, errors.New("line 1: it is no object")
	}
	at := -1
	for i, m := range top.Members {
		if name, ok := m.Name.Value.(hujson.Literal); ok && name.String() == "tasks" {
			if at >= 0 {
				return nil, nil, fmt.Errorf("line %d: \"tasks\" is there twice", lineOf(body, m.Name.StartOffset))
			}
			at = i
		}
	}
	s := styleOf(body, top)
	if at < 0 {
		text := s.list(all, s.indent)
		return s.whole(marked, s.into(body, file, membersOf(top), top.AfterExtra, `"tasks": [`+s.line+text+s.line+s.indent+"]", s.indent)), labelsOf(all), nil
	}
	tasks := top.Members[at].Value
	list, ok := tasks.Value.(*hujson.Array)
	if !ok {
		return nil, nil, fmt.Errorf("line %d: \"tasks\" is no list", lineOf(body, tasks.StartOffset))
	}
	there := map[string]bool{}
	for _, e := range list.Elements {
		raw, err := hujson.Standardize(bytes.Clone(body[e.StartOffset:e.EndOffset]))
		var one struct{ Label, TaskName string }
		if err == nil && json.Unmarshal(raw, &one) == nil {
			there[one.Label], there[one.TaskName] = true, true
		}
	}
	missing := slices.DeleteFunc(slices.Clone(all), func(t editorTask) bool { return there[t.Label] })
	if len(missing) == 0 {
		return old, nil, nil
	}
	return s.whole(marked, s.into(body, tasks, list.Elements, list.AfterExtra, strings.TrimLeft(s.list(missing, s.indent), " \t"), s.indent+s.indent)), labelsOf(missing), nil
}

func membersOf(o *hujson.Object) (out []hujson.Value) {
	for _, m := range o.Members {
		out = append(out, m.Value)
	}
	return out
}

func labelsOf(all []editorTask) (out []string) {
	for _, t := range all {
		out = append(out, t.Label)
	}
	return out
}

func lineOf(text []byte, offset int) int { return 1 + bytes.Count(text[:offset], []byte("\n")) }

// style is how a file is written.
type style struct{ line, indent string }

func styleOf(body []byte, top *hujson.Object) style {
	s := style{"\n", "  "}
	if bytes.Contains(body, []byte("\r\n")) {
		s.line = "\r\n"
	}
	if len(top.Members) > 0 {
		before := string(top.Members[0].Name.BeforeExtra)
		if i := strings.LastIndex(before, "\n"); i >= 0 && i+1 < len(before) && strings.TrimLeft(before[i+1:], " \t") == "" {
			s.indent = before[i+1:]
		}
	}
	return s
}

// list is tasks as elements of a list that stands at an indentation.
func (s style) list(all []editorTask, indent string) string {
	var parts []string
	for _, t := range all {
		var raw bytes.Buffer
		enc := json.NewEncoder(&raw)
		enc.SetEscapeHTML(false)
		enc.SetIndent(indent+s.indent, s.indent)
		_ = enc.Encode(t) // strings and numbers
		parts = append(parts, indent+s.indent+strings.TrimSpace(raw.String()))
	}
	return strings.ReplaceAll(strings.Join(parts, ",\n"), "\n", s.line)
}

// into puts text behind the last of the values of an object or a list, before its end.
// after is what stands between them: comments that belong to what was there stay with it.
func (s style) into(body []byte, whole hujson.Value, values []hujson.Value, after hujson.Extra, text, indent string) []byte {
	closing := whole.EndOffset - 1
	end := closing - (len(after) - len(bytes.TrimRight(after, " \t\r\n")))
	var out bytes.Buffer
	comma := ""
	if n := len(values); n > 0 {
		last := values[n-1]
		if last.AfterExtra != nil { // there is a comma behind it already, and so there is behind ours
			comma = ","
			out.Write(body[:end])
		} else {
			end = max(end, last.EndOffset)
			out.Write(body[:last.EndOffset])
			out.WriteString(",")
			out.Write(body[last.EndOffset:end])
		}
	} else {
		out.Write(body[:end])
	}
	out.WriteString(s.line + indent + text + comma)
	if !bytes.Contains(body[end:closing], []byte("\n")) {
		out.WriteString(s.line + indent[:len(indent)-len(s.indent)])
		end = closing
	}
	out.Write(body[end:])
	return out.Bytes()
}

func (s style) whole(marked bool, body []byte) []byte {
	if marked {
		return append([]byte("\uFEFF"), body...)
	}
	return body
}
