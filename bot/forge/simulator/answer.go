package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// obj is a JSON object as it is answered.
type obj = map[string]any

const docs = "https://docs.github.com/rest"

// apiError is an error as GitHub words it.
type apiError struct {
	status int
	body   obj
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %v", e.status, e.body["message"]) }

func problem(status int, message string) *apiError {
	return &apiError{status: status, body: obj{"message": message, "documentation_url": docs, "status": strconv.Itoa(status)}}
}

func notFound() *apiError { return problem(http.StatusNotFound, "Not Found") }

// unprocessable is a 422 with a message only, as the Git data API has it.
func unprocessable(message string) *apiError {
	return problem(http.StatusUnprocessableEntity, message)
}

// invalid is a 422 "Validation Failed" with its errors.
func invalid(errs ...obj) *apiError {
	e := problem(http.StatusUnprocessableEntity, "Validation Failed")
	e.body["errors"] = errs
	return e
}

func fieldError(resource, field, code string) obj {
	return obj{"resource": resource, "field": field, "code": code}
}

func customError(resource, message string) obj {
	return obj{"resource": resource, "code": "custom", "message": message}
}

// missing is GitHub's 422 for a body without a required field.
func missing(field string) *apiError {
	return unprocessable(fmt.Sprintf("Invalid request.\n\n%q wasn't supplied.", field))
}

// answer is what a handler gives back: a body to be encoded, or raw bytes.
type answer struct {
	status int
	body   any
	raw    []byte
	header http.Header
}

func ok(body any) (answer, error)      { return answer{status: http.StatusOK, body: body}, nil }
func created(body any) (answer, error) { return answer{status: http.StatusCreated, body: body}, nil }
func noContent() (answer, error)       { return answer{status: http.StatusNoContent}, nil }

// call is one request on its way through a handler.
type call struct {
	r      *http.Request
	route  *route
	vars   map[string]string
	body   []byte
	tok    *token // nil for the App itself and for anonymous calls
	app    bool   // authenticated by JSON web token
	repo   *repository
	header http.Header // of the answer
}

// number is a numeric path variable; what is no number is not found.
func (c *call) number(name string) (int64, error) {
	n, err := strconv.ParseInt(c.vars[name], 10, 64)
	if err != nil || n < 1 {
		return 0, notFound()
	}
	return n, nil
}

// decode reads the JSON body. Broken JSON is a 400, a wrong type a 422.
func (c *call) decode(into any) error {
	if len(c.body) == 0 {
		return nil
	}
	err := json.Unmarshal(c.body, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return unprocessable(fmt.Sprintf("Invalid request.\n\nFor '%s', %s is not of the right type.", wrong.Field, wrong.Value))
	}
	if err != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON")
	}
	return nil
}

// page cuts a list by per_page and page and sets the Link header.
func page[T any](c *call, base string, items []T) []T {
	size, at := queryInt(c.r, "per_page", 30), queryInt(c.r, "page", 1)
	size = min(size, 100)
	last := max(1, (len(items)+size-1)/size)
	var links []string
	link := func(n int, rel string) {
		q := c.r.URL.Query()
		q.Set("page", strconv.Itoa(n))
		links = append(links, fmt.Sprintf(`<%s%s?%s>; rel="%s"`, base, c.r.URL.EscapedPath(), q.Encode(), rel))
	}
	if at > 1 {
		link(at-1, "prev")
	}
	if at < last {
		link(at+1, "next")
		link(last, "last")
	}
	if at > 1 {
		link(1, "first")
	}
	if len(links) > 0 {
		c.header.Set("Link", strings.Join(links, ", "))
	}
	from := min((at-1)*size, len(items))
	return items[from:min(from+size, len(items))]
}

func queryInt(r *http.Request, name string, fallback int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 1 {
		return fallback
	}
	return n
}

// stamp is a time as GitHub writes it; the zero time is null.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// orNull is null for the empty string.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// escapePath escapes each segment of a slash-separated path.
func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

const maxBody = 50 << 20

func readBody(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxBody {
		return nil, problem(http.StatusRequestEntityTooLarge, "Request entity too large")
	}
	return data, nil
}
