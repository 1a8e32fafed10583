package hooks

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"

	"github.com/tidwall/gjson"
)

// delivery is a request whose signature was right.
type delivery struct {
	id, event    string
	installation int64
	payload      []byte // JSON
}

// read takes a verified request apart.
func read(header http.Header, body []byte) (delivery, *refusal) {
	d := delivery{id: header.Get("X-GitHub-Delivery"), event: header.Get("X-GitHub-Event"), payload: body}
	if !deliveryID.MatchString(d.id) || !eventName.MatchString(d.event) {
		return d, &refusal{http.StatusBadRequest, "X-GitHub-Delivery and X-GitHub-Event have to be given"}
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case err == nil && kind == "application/json":
	case err == nil && kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil || !form.Has("payload") {
			return d, &refusal{http.StatusBadRequest, "the form has no field payload"}
		}
		d.payload = []byte(form.Get("payload"))
	default:
		return d, &refusal{http.StatusUnsupportedMediaType, "the content type has to be application/json or application/x-www-form-urlencoded"}
	}
	if !valid(d.payload) || bytes.TrimLeft(d.payload, " \t\r\n")[0] != '{' {
		return d, &refusal{http.StatusBadRequest, "the payload is not a JSON object"}
	}
	if id := gjson.GetBytes(d.payload, "installation.id"); id.Type == gjson.Number {
		d.installation = id.Int()
	}
	return d, nil
}

// quickly is up to where a payload is read by gjson, which is several times as fast
// as encoding/json and goes as deep as a payload does.
const quickly = 1 << 20

func valid(payload []byte) bool {
	if len(payload) > quickly {
		return json.Valid(payload)
	}
	return gjson.ValidBytes(payload)
}
