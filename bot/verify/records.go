package verify

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// maxResults bounds a result file.
const maxResults = 64 << 20

// record is one line of a result file, as the drivers write them.
type record struct {
	Kind    string     `json:"k"`
	Nonce   string     `json:"nonce"`
	Records int        `json:"records"`
	IDs     []string   `json:"ids"`
	ID      string     `json:"id"`
	Unit    string     `json:"unit"`
	Path    []string   `json:"path"`
	File    string     `json:"file"`
	Line    int        `json:"line"`
	Source  string     `json:"source"`
	Name    string     `json:"name"`
	Status  string     `json:"status"`
	Suite   bool       `json:"suite"`
	Seconds float64    `json:"seconds"`
	Timeout bool       `json:"timeout"`
	Exc     *exception `json:"exc"`
	Error   *exception `json:"error"`
	What    []string   `json:"what"`
	Code    int        `json:"code"`
	Usage   int        `json:"usage"`
	Why     string     `json:"why"`
	Text    string     `json:"text"`
	Exit    *int       `json:"exit"`
	Signal  string     `json:"signal"`
	Lost    *string    `json:"lost"`
	Tests   int        `json:"tests"`
	Again   int        `json:"again"`
	Python  string     `json:"python"`
	Node    string     `json:"node"`
}

// exception is an exception as the drivers describe it.
type exception struct {
	Class   string   `json:"class"`
	Bases   []string `json:"bases"`
	Message string   `json:"message"`
	Frames  [][3]any `json:"frames"` // path, line, function; outermost first
	Text    string   `json:"text"`
	Code    string   `json:"code"`
	Type    string   `json:"type"`
	Stack   string   `json:"stack"`
	Missing string   `json:"missing"` // of Python: a dotted module, or module#name
}

// errEvidence: the result file is missing, cut, or not signed by this run.
var errEvidence = errors.New("no trustworthy result file")

// parseResults reads a result file: lines of JSON, the first "begin" and the
// last "end" with this run's nonce and the count of records between, then the
// HMAC-SHA256 over all of it under key.
func parseResults(data, key []byte, nonce string) ([]record, error) {
	body, sum, ok := cutSignature(data)
	if !ok {
		return nil, fmt.Errorf("%w: it ends too early", errEvidence)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	if !hmac.Equal(mac.Sum(nil), sum) {
		return nil, fmt.Errorf("%w: the signature is not this run's", errEvidence)
	}
	records, err := parseLines(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errEvidence, err)
	}
	n := len(records)
	if n < 2 || records[0].Kind != "begin" || records[n-1].Kind != "end" ||
		records[0].Nonce != nonce || records[n-1].Nonce != nonce || records[n-1].Records != n-2 {
		return nil, fmt.Errorf("%w: begin, end and count do not fit", errEvidence)
	}
	return records[1 : n-1], nil
}

func cutSignature(data []byte) (body, sum []byte, ok bool) {
	data, ok = bytes.CutSuffix(data, []byte("\n"))
	at := bytes.LastIndexByte(data, '\n')
	if !ok || at < 0 {
		return nil, nil, false
	}
	sum, err := hex.DecodeString(string(data[at+1:]))
	return data[:at+1], sum, err == nil
}

func parseLines(body []byte) ([]record, error) {
	var out []record
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("a record cannot be read: %w", err)
		}
		out = append(out, r)
	}
	return out, nil
}
