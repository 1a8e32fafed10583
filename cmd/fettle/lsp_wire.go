package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// What is read and written of the Language Server Protocol 3.17
// (https://microsoft.github.io/language-server-protocol).

type lspFolder struct {
	URI string `json:"uri"`
}

type lspInitialize struct {
	RootURI          string      `json:"rootUri"`
	RootPath         string      `json:"rootPath"` // of clients that are older than rootUri
	WorkspaceFolders []lspFolder `json:"workspaceFolders"`
	Capabilities     struct {
		Window struct {
			WorkDoneProgress bool `json:"workDoneProgress"`
		} `json:"window"`
	} `json:"capabilities"`
}

// folders are what the editor has open.
func (p lspInitialize) folders() (uris []string) {
	for _, f := range p.WorkspaceFolders {
		uris = append(uris, f.URI)
	}
	switch {
	case len(uris) > 0:
	case p.RootURI != "":
		uris = []string{p.RootURI}
	case p.RootPath != "":
		uris = []string{fileURI(p.RootPath)}
	}
	return uris
}

func lspInitialized(version string) any {
	type m = map[string]any
	return m{
		"serverInfo": m{"name": "fettle", "version": version},
		"capabilities": m{
			"positionEncoding": "utf-16",
			"textDocumentSync": m{"openClose": true, "change": 0, "save": m{"includeText": false}},
			"workspace":        m{"workspaceFolders": m{"supported": true, "changeNotifications": true}},
		},
	}
}

type lspDocument struct {
	TextDocument lspFolder `json:"textDocument"`
}

type lspFolders struct {
	Event struct {
		Added   []lspFolder `json:"added"`
		Removed []lspFolder `json:"removed"`
	} `json:"event"`
}

type lspPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in UTF-16 code units
}

type lspRange struct {
	Start lspPosition `json:"start"`
	End   lspPosition `json:"end"`
}

type lspRelated struct {
	Location struct {
		URI   string   `json:"uri"`
		Range lspRange `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

// Severities of diagnostics, and types of messages.
const (
	lspError   = 1
	lspWarning = 2
	lspLog     = 4 // a message that is not shown by itself
)

type lspDiagnostic struct {
	Range    lspRange     `json:"range"`
	Severity int          `json:"severity"`
	Code     string       `json:"code"`
	Source   string       `json:"source"`
	Message  string       `json:"message"`
	Related  []lspRelated `json:"relatedInformation,omitempty"`
}

type lspPublished struct {
	URI         string          `json:"uri"`
	Diagnostics []lspDiagnostic `json:"diagnostics"`
}

type lspMessage struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

// Limits of what an editor may send.
const (
	maxLSPHeaders = 32
	maxLSPBody    = 32 << 20
)

// lspStream frames messages. A body that is no message is answered, and the next is read;
// where a header is wrong nobody knows where the next begins.
type lspStream struct {
	in *bufio.Reader

	mu  sync.Mutex // of out and err
	out io.Writer
	err error
}

func newLSPStream(in io.Reader, out io.Writer) *lspStream {
	return &lspStream{in: bufio.NewReader(in), out: out}
}

func (l *lspStream) WriteObject(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return printf(l.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (l *lspStream) ReadObject(v any) error {
	for {
		body, err := l.body()
		if err != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.err = err
			return err
		}
		if err = json.Unmarshal(body, v); err == nil {
			return nil
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": jsonrpc2.CodeParseError, "message": err.Error()}}
		if err := l.WriteObject(answer); err != nil {
			return err
		}
	}
}

// body reads the headers of a message, and what they announce.
func (l *lspStream) body() ([]byte, error) {
	length := -1
	for n := range maxLSPHeaders {
		raw, err := l.in.ReadSlice('\n')
		if errors.Is(err, io.EOF) && n == 0 && len(raw) == 0 {
			return nil, io.EOF
		}
		if err != nil {
			return nil, fmt.Errorf("a header has no end: %w", err)
		}
		line := strings.TrimRight(string(raw), "\r\n")
		if line == "" && length >= 0 {
			body := make([]byte, length)
			_, err := io.ReadFull(l.in, body)
			return body, err
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%.60q is no header", line)
		}
		if strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxLSPBody {
				return nil, fmt.Errorf("%.60q is no length of at most %d bytes", value, maxLSPBody)
			}
		}
	}
	return nil, fmt.Errorf("more than %d headers", maxLSPHeaders)
}

// broken is why nothing more could be read, if that was not the end.
func (l *lspStream) broken() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(l.err, io.EOF) {
		return nil
	}
	return l.err
}

// Close does nothing: the streams are the process's.
func (l *lspStream) Close() error { return nil }
