package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/moby/moby/client"
)

// connect finds an engine that answers and says where.
func (e *engine) connect(ctx context.Context, host string) (string, error) {
	hosts := []string{host}
	if host == "" {
		hosts = engineHosts()
	}
	var tried []error
	for _, h := range hosts {
		api, err := dialEngine(ctx, h)
		if err == nil {
			e.api = api
			return h, nil
		}
		if host != "" || !errors.Is(err, fs.ErrNotExist) {
			tried = append(tried, err)
		}
	}
	if len(tried) == 0 {
		return "", fmt.Errorf("sandbox: no container engine was found (looked for %s); start one (Docker, or podman system service), or set engine.host to its socket", strings.Join(hosts, ", "))
	}
	return "", errors.Join(tried...)
}

// engineHosts are the places where engines listen, the operator's own first.
func engineHosts() []string {
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		return []string{host}
	}
	var hosts []string
	add := func(dir string, names ...string) {
		for _, name := range names {
			if filepath.IsAbs(dir) {
				hosts = append(hosts, "unix://"+filepath.Join(dir, name))
			}
		}
	}
	add("/var/run", "docker.sock")
	add(os.Getenv("XDG_RUNTIME_DIR"), "docker.sock", "podman/podman.sock")
	add("/run/podman", "podman.sock")
	if home, err := os.UserHomeDir(); err == nil {
		add(home, ".docker/run/docker.sock", ".colima/default/docker.sock", ".rd/docker.sock", ".local/share/containers/podman/machine/podman.sock")
	}
	return hosts
}

// dialEngine connects to one socket and hears whether an engine answers.
func dialEngine(ctx context.Context, host string) (*client.Client, error) {
	path, ok := strings.CutPrefix(host, "unix://")
	if !ok || !filepath.IsAbs(path) {
		return nil, fmt.Errorf("sandbox: the engine at %q cannot be used: it has to share files with fettle, so it must be a Unix socket such as unix:///var/run/docker.sock", host)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("sandbox: no engine listens at %s: start it, or set engine.host to its socket: %w", host, err)
	}
	api, err := client.New(client.WithHost(host), client.WithUserAgent("fettle"))
	if err != nil {
		return nil, fmt.Errorf("sandbox: the engine at %s: %w", host, err)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if _, err := api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		_ = api.Close()
		if errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "permission denied") {
			return nil, fmt.Errorf("sandbox: the engine at %s does not let this user in: run a rootless engine, or have an administrator add the user to the engine's group (which gives it root's rights): %w", host, err)
		}
		return nil, fmt.Errorf("sandbox: the engine at %s does not answer; start it%s: %w", host, machineHint(), err)
	}
	return api, nil
}

func machineHint() string {
	if runtime.GOOS == "darwin" {
		return " (Docker Desktop, colima start, or podman machine start)"
	}
	return ""
}
