package settings

import (
	"path/filepath"
	"strings"
)

// Engine is a container engine that speaks Docker's API.
type Engine struct {
	Host  string // its socket, "unix:///path"; empty: looked for where engines put theirs
	Image string // local image with the toolchains; nothing is pulled
}

func engine(v value) (Engine, error) {
	var e Engine
	return e, first(
		v.only(nil, "host", "image"),
		set(v, "host", &e.Host, engineSocket),
		set(v, "image", &e.Image, value.string),
	)
}

// engineSocket is a Unix socket: an engine elsewhere shares no files with us.
func engineSocket(v value) (string, error) {
	s, err := v.string()
	if path, ok := strings.CutPrefix(s, "unix://"); err == nil && (!ok || !filepath.IsAbs(path)) {
		err = v.errorf("must be the engine's Unix socket, such as unix:///var/run/docker.sock")
	}
	return s, err
}
