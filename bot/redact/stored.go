package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Error is err with its words passed through Secrets. errors.Is and errors.As
// see through it.
func (f *Funnel) Error(err error) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	if shown := f.Secrets(said); shown != said {
		return &cleaned{shown, err}
	}
	return err
}

type cleaned struct {
	text string
	err  error
}

func (c *cleaned) Error() string { return c.text }
func (c *cleaned) Unwrap() error { return c.err }

// JSON passes the texts of a JSON document through Secrets and leaves every
// other byte as it is. A text is looked at as it reads, not as it is escaped.
func (f *Funnel) JSON(doc []byte) []byte { return inTexts(doc, f.Secrets) }

// Shown is JSON for people: its texts pass Log.
func (f *Funnel) Shown(doc []byte) []byte { return inTexts(doc, f.Log) }

// Stored takes the values that this process was told of, of 16 bytes and more,
// out of the texts of a JSON document. It is for what code reads again, such as
// the source in a saved change: that has to come back as it was, so what only
// looks like a secret stays.
func (f *Funnel) Stored(doc []byte) []byte {
	if f == nil {
		return doc
	}
	f.mu.RLock()
	long := f.long
	f.mu.RUnlock()
	if long == nil {
		return doc
	}
	if text := string(doc); long.Replace(text) == text {
		return doc
	}
	return inTexts(doc, long.Replace)
}

func inTexts(doc []byte, hide func(string) string) []byte {
	var out bytes.Buffer
	for len(doc) > 0 {
		from := bytes.IndexByte(doc, '"')
		if from < 0 {
			break
		}
		to := from + 1
		for to < len(doc) && doc[to] != '"' {
			if doc[to] == '\\' {
				to++
			}
			to++
		}
		to = min(to+1, len(doc))
		out.Write(doc[:from])
		out.Write(inText(doc[from:to], hide))
		doc = doc[to:]
	}
	out.Write(doc)
	return out.Bytes()
}

func inText(quoted []byte, hide func(string) string) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil { // cut short, or no JSON
		return []byte(hide(string(quoted)))
	}
	shown := hide(text)
	if shown == text {
		return quoted
	}
	var raw strings.Builder
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if enc.Encode(shown) != nil {
		return []byte(`"` + Mark + `"`)
	}
	return []byte(strings.TrimSuffix(raw.String(), "\n"))
}
