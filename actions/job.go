package actions

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Job is a step of a job of GitHub Actions: what the runner says, and the inputs.
type Job struct {
	Event   string // name, such as issues
	Payload []byte // as a webhook would deliver it, with Repo.Installation as its installation
	Repo    task.Repo
	Pull    bool // the event is about a pull request
	RunID   string
	// Workflow is the path of the workflow's file, which is the same in all its runs.
	Workflow string
	Token    string // that fettle acts with
	JobToken string // of the job itself
	APIURL   string
	RunURL   string // where people read the job's log
	Dir      string // of everything that the job keeps, below the runner's temporary folder
	In       Inputs

	output, summary, state string // files that the runner reads
}

// Inputs are those of action.yml.
type Inputs struct {
	Label, Config, Preset, Model, BaseURL, ModelFile, ModelSHA256 string
	HasKey                                                        bool
	AppID                                                         int64
	PrivateKey                                                    []byte
}

// Variables that carry inputs to fettle. Nothing of an event is ever put into a
// script: it is read from the event's file.
const (
	keyVariable = "FETTLE_API_KEY"
	maxEvent    = 26 << 20 // bytes; GitHub's own limit is 25 MB
)

// Refusal says why an event may not be worked on at all.
type Refusal struct{ Words string }

func (r *Refusal) Error() string { return r.Words }

// obeyed are the events that a job may be started by.
var obeyed = []string{"issues", "issue_comment", "pull_request_review", "pull_request_review_comment"}

// Read reads the job from its environment.
func Read(getenv func(string) string) (*Job, error) {
	j := &Job{
		Event: getenv("GITHUB_EVENT_NAME"), RunID: getenv("GITHUB_RUN_ID"), Token: getenv("GITHUB_TOKEN"), JobToken: cmp.Or(getenv("FETTLE_JOB_TOKEN"), getenv("GITHUB_TOKEN")), APIURL: getenv("GITHUB_API_URL"),
		In: Inputs{Label: getenv("FETTLE_LABEL"), Config: getenv("FETTLE_CONFIG"), Preset: getenv("FETTLE_PRESET"), Model: getenv("FETTLE_MODEL"),
			BaseURL: getenv("FETTLE_BASE_URL"), ModelFile: getenv("FETTLE_MODEL_FILE"), ModelSHA256: strings.ToLower(strings.TrimPrefix(getenv("FETTLE_MODEL_SHA256"), "sha256:")),
			HasKey: getenv(keyVariable) != "", PrivateKey: []byte(getenv("FETTLE_PRIVATE_KEY"))},
		output: getenv("GITHUB_OUTPUT"), summary: getenv("GITHUB_STEP_SUMMARY"), state: getenv("GITHUB_STATE"),
	}
	if err := j.begin(getenv, "fettle fix"); err != nil {
		return j, err
	}
	if kept := getenv("STATE_dir"); filepath.IsAbs(kept) { // a wrapper's post step is told what its main step kept
		j.Dir = kept
	}
	owner, name, _ := strings.Cut(getenv("GITHUB_REPOSITORY"), "/")
	j.Repo = task.Repo{Owner: owner, Name: name}
	j.RunURL = fmt.Sprintf("%s/%s/actions/runs/%s", strings.TrimRight(getenv("GITHUB_SERVER_URL"), "/"), j.Repo.Slug(), j.RunID)
	j.Workflow = workflowPath(getenv("GITHUB_WORKFLOW_REF"), j.Repo.Slug())
	id, err := strconv.ParseInt(getenv("GITHUB_REPOSITORY_ID"), 10, 64)
	run, runErr := strconv.ParseInt(j.RunID, 10, 64)
	switch {
	case owner == "" || name == "" || strings.Contains(name, "/"):
		return j, fmt.Errorf("the runner names no repository (GITHUB_REPOSITORY is %q)", getenv("GITHUB_REPOSITORY"))
	case err != nil || id <= 0:
		return j, fmt.Errorf("the runner names no number of the repository (GITHUB_REPOSITORY_ID is %q); its version is too old", getenv("GITHUB_REPOSITORY_ID"))
	case runErr != nil || run <= 0:
		return j, fmt.Errorf("the runner names no run (GITHUB_RUN_ID is %q)", j.RunID)
	}
	j.Repo.Installation = id
	if app := getenv("FETTLE_APP_ID"); app != "" {
		if j.In.AppID, err = strconv.ParseInt(app, 10, 64); err != nil || j.In.AppID <= 0 || len(j.In.PrivateKey) == 0 {
			return j, errors.New("the inputs app-id and private-key belong together: the number of a GitHub App, and its key in PEM from a secret")
		}
	} else if j.Token == "" {
		return j, errors.New("no token: give the input token, or leave it out so that the job's own is taken")
	}
	return j, j.readEvent(getenv("GITHUB_EVENT_PATH"))
}

// begin finds out whether this is a job, and where it may write; otherwise is what to
// use elsewhere.
func (j *Job) begin(getenv func(string) string, otherwise string) error {
	if getenv("GITHUB_ACTIONS") != "true" {
		return fmt.Errorf("this is no job of GitHub Actions (GITHUB_ACTIONS is not true); on your own machine use '%s'", otherwise)
	}
	temp := getenv("RUNNER_TEMP")
	if !filepath.IsAbs(temp) {
		return fmt.Errorf("the runner names no temporary folder (RUNNER_TEMP is %q); run this as a step of a job", temp)
	}
	j.Dir = filepath.Join(temp, "fettle")
	return nil
}

// workflowPath is the path in GITHUB_WORKFLOW_REF, OWNER/NAME/PATH@REF.
func workflowPath(ref, slug string) string {
	path, _, _ := strings.Cut(ref, "@")
	if len(path) <= len(slug) || !strings.EqualFold(path[:len(slug)], slug) {
		return ""
	}
	return strings.TrimPrefix(path[len(slug):], "/")
}

// side is an end of a pull request.
type side struct {
	Repo *struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

func (j *Job) readEvent(file string) error {
	switch {
	case j.Event == "pull_request_target":
		return &Refusal{"fettle does not run on pull_request_target: there a stranger's pull request would be worked on with a token that writes, and with your secrets. Start it on issues, issue_comment and pull_request_review"}
	case !slices.Contains(obeyed, j.Event):
		return fmt.Errorf("fettle does not know what to do on the event %q; start it on %s", j.Event, strings.Join(obeyed, ", "))
	}
	raw, err := eventOf(file)
	if err != nil {
		return err
	}
	var head struct {
		Repository struct {
			FullName string `json:"full_name"`
		} `json:"repository"`
		Issue *struct {
			PullRequest *struct{} `json:"pull_request"`
		} `json:"issue"`
		Pull *struct {
			Head side `json:"head"`
		} `json:"pull_request"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return fmt.Errorf("the event file %s holds no event of GitHub's: %w", file, err)
	}
	if !strings.EqualFold(head.Repository.FullName, j.Repo.Slug()) {
		return fmt.Errorf("the event is of %q and the job of %s; start fettle by an event of its own repository", head.Repository.FullName, j.Repo.Slug())
	}
	if head.Pull != nil && (head.Pull.Head.Repo == nil || !strings.EqualFold(head.Pull.Head.Repo.FullName, j.Repo.Slug())) {
		return &Refusal{"fettle does not work on the head of a fork: whoever wrote it could have it run with what this job may do"}
	}
	j.Pull = head.Pull != nil || head.Issue != nil && head.Issue.PullRequest != nil
	j.Payload, err = withInstallation(raw, j.Repo.Installation)
	return err
}

func eventOf(file string) ([]byte, error) {
	if file == "" {
		return nil, errors.New("the runner names no event file (GITHUB_EVENT_PATH is empty)")
	}
	info, err := os.Stat(file)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxEvent) {
		err = fmt.Errorf("it has to be a file of at most %d bytes", maxEvent)
	}
	var raw []byte
	if err == nil {
		raw, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("the event file %s cannot be used: %w", file, err)
	}
	return raw, nil
}

// withInstallation gives an event the installation that a job's event lacks.
func withInstallation(raw []byte, id int64) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	fields["installation"] = fmt.Appendf(nil, `{"id":%d}`, id)
	return json.Marshal(fields)
}

// Installed sets the installation of the App that works here.
func (j *Job) Installed(id int64) (err error) {
	j.Repo.Installation = id
	j.Payload, err = withInstallation(j.Payload, id)
	return err
}

// Delivery names the event: a job that is started again has the same one.
func (j *Job) Delivery() string { return "actions-run-" + j.RunID }

// MarkerKey keys the marks of fettle's comments. It is the same in every job, so
// that a job without the state of those before it finds their comments. It is no
// secret: what counts is that GitHub names fettle as the author.
func (j *Job) MarkerKey() []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "fettle, jobs of repository %d", j.Repo.Installation))
	return sum[:]
}

// Record is the folder that is uploaded: the runs' database for the next job, and
// files for people.
func (j *Job) Record() string { return filepath.Join(j.Dir, "record") }

// Wrote tells whether the artifact of a run may be the record of an earlier job:
// only runs of the same workflow file, at a commit of this repository and started
// by an event that fettle obeys, had what it takes to write it. At a review GitHub runs
// the workflow of the pull request's branch, so that this has to be fettle's own.
func (j *Job) Wrote(path, event string, own, fettles bool) bool {
	return own && path != "" && path == j.Workflow && slices.Contains(obeyed, event) && (fettles || !strings.HasPrefix(event, "pull_request"))
}

// Artifact is the name under which the record of an issue is kept.
func Artifact(issue int) string { return fmt.Sprintf("fettle-issue-%d", issue) }

// OperatorFile is the input config with the tier that the inputs for a model
// describe.
func (j *Job) OperatorFile() ([]byte, error) {
	in := j.In
	text := []byte(in.Config)
	if in.Preset == "" && in.BaseURL == "" {
		if in.Model != "" || in.ModelFile != "" || in.ModelSHA256 != "" {
			return nil, errors.New("a model is named without where it is: give preset or base-url too")
		}
		if in.HasKey && !bytes.Contains(text, []byte(keyVariable)) {
			return nil, fmt.Errorf("the input api-key is for preset or base-url, or for a config with `api_key_env: %s`", keyVariable)
		}
		return text, nil
	}
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("tiers:")) {
			return nil, errors.New("models are described twice: keep the inputs preset, base-url and model, or `tiers:` in config")
		}
	}
	var tier []string
	for _, f := range []struct{ key, value string }{{"preset", in.Preset}, {"base_url", in.BaseURL}, {"model", in.Model}} {
		if f.value != "" {
			quoted, err := json.Marshal(f.value)
			if err != nil {
				return nil, err
			}
			tier = append(tier, f.key+": "+string(quoted))
		}
	}
	if in.HasKey {
		tier = append(tier, "api_key_env: "+keyVariable)
	}
	return fmt.Appendf(text, "\ntiers:\n  tier1: {%s}\n", strings.Join(tier, ", ")), nil
}
