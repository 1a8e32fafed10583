package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"
)

// Bounds of an answer's body (TRUST F09: at most 64 MiB of memory a call).
const (
	maxText  = 4 << 20  // of the answer's text, of one line, and of an answer that is not streamed, in bytes
	maxBytes = 64 << 20 // of a whole stream; what was read is not kept
)

// lines reads an answer's body and gives go-openai nothing but clean events,
// one a line. Comments, which servers send to keep a connection alive, are
// dropped here. An answer that is not streamed, because the server does not
// stream, becomes one event.
type lines struct {
	body io.ReadCloser
	in   *bufio.Reader
	left int64
	out  []byte // not yet handed on
	doc  bool   // not streamed
	some bool   // a first event was seen
	done bool   // the end was said: [DONE], or the document is complete
	bad  bool   // bytes that are not UTF-8 were seen
	err  error
}

func newLines(body io.ReadCloser) *lines {
	l := &lines{body: body, left: maxBytes}
	l.in = bufio.NewReaderSize(readerFunc(l.bounded), 32<<10)
	return l
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (l *lines) bounded(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.body.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// Close closes the connection's body.
func (l *lines) Close() error { return l.body.Close() }

// Read hands on the next event.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.out) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.fill()
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	return n, nil
}

func (l *lines) fill() {
	if !l.some && !l.doc {
		if l.err = l.begin(); l.err != nil {
			return
		}
	}
	if l.doc {
		l.document()
		return
	}
	line, err := l.line()
	l.err = err
	payload, found := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
	if !found {
		return
	}
	payload = bytes.TrimSpace(payload)
	l.done = l.done || string(payload) == "[DONE]"
	l.event(payload)
}

// begin looks past leading white space: an object at the start is an answer
// that is not streamed, whatever its content type says.
func (l *lines) begin() error {
	for {
		b, err := l.in.ReadByte()
		if err != nil {
			return err
		}
		if b == ' ' || b == '\n' || b == '\r' || b == '\t' {
			continue
		}
		l.doc = b == '{'
		return l.in.UnreadByte()
	}
}

func (l *lines) document() {
	data, err := io.ReadAll(io.LimitReader(l.in, maxText+1))
	switch {
	case err != nil:
		l.err = err
	case len(data) > maxText:
		l.err = errTooLarge
	default:
		for i, b := range data { // a raw line break cannot stand inside a JSON string, so a space does
			if b == '\n' || b == '\r' {
				data[i] = ' '
			}
		}
		l.event(data)
		l.done, l.err = true, io.EOF
	}
}

// line reads up to the next line break, at most maxText bytes.
func (l *lines) line() ([]byte, error) {
	var whole []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(whole)+len(part) > maxText {
			return nil, errTooLarge
		}
		if err == nil && whole == nil {
			return part, nil
		}
		whole = append(whole, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return whole, err
		}
	}
}

func (l *lines) event(payload []byte) {
	l.some = true
	l.bad = l.bad || !utf8.Valid(payload)
	l.out = append(append([]byte("data: "), payload...), '\n')
}

// watch ends a call in which nothing happens any more.
type watch struct {
	timer   *time.Timer
	between time.Duration
	cancel  context.CancelCauseFunc
}

func watched(ctx context.Context, first, between time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{between: between, cancel: cancel}
	w.timer = time.AfterFunc(first, func() { cancel(fmt.Errorf("%w (%s)", errFirst, first)) })
	return ctx, w
}

// progress is told of each event.
func (w *watch) progress() {
	w.timer.Stop()
	w.timer = time.AfterFunc(w.between, func() { w.cancel(fmt.Errorf("%w (%s)", errBetween, w.between)) })
}

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// answer is what a stream amounts to.
type answer struct {
	text     strings.Builder
	thoughts int // bytes of reasoning that were shown; they are paid for
	finish   string
	usage    *usage
}

// chunk is a piece of a completion, or a whole one: then message stands for
// delta.
type chunk struct {
	Choices []struct {
		Index        int    `json:"index"`
		Delta        piece  `json:"delta"`
		Message      piece  `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type piece struct {
	Content   content `json:"content"`
	Reasoning string  `json:"reasoning_content"`
	Thinking  string  `json:"reasoning"`
}

// content is text, or a list of parts with text.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	if len(data) == 0 || data[0] != '[' {
		return json.Unmarshal(data, (*string)(c))
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += content(p.Text)
	}
	return nil
}

// collect reads the stream to its end.
func collect(stream *openai.ChatCompletionStream, body *lines, w *watch) (answer, error) {
	var got answer
	for {
		raw, err := stream.RecvRaw()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return got, err
		}
		var c chunk
		if err := json.Unmarshal(raw, &c); err != nil {
			return got, fmt.Errorf("reading a piece of the answer: %w", err)
		}
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return got, &openai.APIError{Message: fmt.Sprintf("in the middle of the answer: %.500s", c.Error)}
		}
		if err := got.add(c); err != nil {
			return got, err
		}
		if got.text.Len()+got.thoughts > 0 { // a role alone is said before a model thinks
			w.progress()
		}
	}
	switch {
	case body.err != nil && !errors.Is(body.err, io.EOF):
		return got, body.err
	case got.finish == "" && !body.done:
		return got, errCut
	case body.bad:
		return got, errUTF8
	}
	return got, nil
}

func (a *answer) add(c chunk) error {
	if c.Usage != nil {
		a.usage = c.Usage
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		for _, p := range []piece{choice.Delta, choice.Message} {
			a.thoughts += len(p.Reasoning) + len(p.Thinking)
			a.text.WriteString(string(p.Content))
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	if a.text.Len()+a.thoughts > 2*maxText || a.text.Len() > maxText {
		return errTooLarge
	}
	return nil
}
