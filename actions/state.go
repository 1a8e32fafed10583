package actions

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Database is the file of the record that the next job goes on with.
const Database = "fettle.db"

const maxDatabase = 1 << 30 // bytes, unpacked

// Unpack lays the database of an earlier job's record into this one's. Nothing
// else of the archive is taken.
func (j *Job) Unpack(archive []byte) error {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return fmt.Errorf("the record of the earlier job is no zip file: %w", err)
	}
	if err := os.MkdirAll(j.Record(), 0o700); err != nil {
		return err
	}
	found := false
	for _, f := range r.File {
		for _, name := range []string{Database, Database + "-wal"} {
			if f.Name != name {
				continue
			}
			if err := unpack(f, filepath.Join(j.Record(), name)); err != nil {
				return fmt.Errorf("unpacking %s of the earlier job: %w", name, err)
			}
			found = found || name == Database
		}
	}
	if !found {
		return errors.New("the record of the earlier job holds no " + Database)
	}
	return nil
}

func unpack(f *zip.File, to string) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxDatabase+1))
	if err == nil && n > maxDatabase {
		err = fmt.Errorf("it is larger than %d bytes", maxDatabase)
	}
	return errors.Join(err, out.Close())
}

// Ending is what the step that worked leaves for the one that reports.
type Ending struct {
	Issue  int    `json:"issue,omitempty"`
	Run    string `json:"run,omitempty"`   // the run that was worked on
	Note   string `json:"note,omitempty"`  // what was done where there was no run
	Error  string `json:"error,omitempty"` // why the step failed
	Refuse bool   `json:"refused,omitempty"`
	Login  string `json:"login,omitempty"` // whom GitHub took fettle for
	Done   bool   `json:"done,omitempty"`  // the step came to its end
}

func (j *Job) endingFile() string { return filepath.Join(j.Dir, "ending.json") }

// End writes the ending down. It is called as soon as something is known, so that
// something is there if the step is killed.
func (j *Job) End(e Ending) error {
	raw, err := json.Marshal(e)
	if err == nil {
		err = os.MkdirAll(j.Dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(j.endingFile(), raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing down how the step ended: %w", err)
	}
	return nil
}

// Ended reads the ending; there is none where the step did not begin.
func (j *Job) Ended() (e Ending, err error) {
	if j.Dir == "" {
		return e, nil
	}
	raw, err := os.ReadFile(j.endingFile())
	if errors.Is(err, os.ErrNotExist) {
		return e, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &e)
	}
	return e, err
}

// Write puts a file for people into the record.
func (j *Job) Write(name string, data []byte) error {
	if err := os.MkdirAll(j.Record(), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(j.Record(), filepath.Base(strings.TrimSpace(name))), data, 0o600)
}
