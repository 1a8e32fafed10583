package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"
)

// engineHome is the payload's home: an engine cannot make a folder on the tmpfs
// that it mounts at /tmp.
const engineHome = "/tmp"

// spec describes the container of one command: the same walls as bubblewrap's,
// in the engine's words.
func (e *engine) spec(w *Workspace, c Command, lim Limits, mounts []mount.Mount, stdin bool) client.ContainerCreateOptions {
	yes, processes := true, int64(lim.Processes)+1 // and the engine's own first process
	return client.ContainerCreateOptions{
		Name: "fettle-" + nonce(), // ours, so that it can be removed whatever the answer was
		Config: &container.Config{
			Image: e.image, User: e.user, Hostname: "sandbox",
			Entrypoint: c.Argv[:1], Cmd: c.Argv[1:], WorkingDir: filepath.Join("/work", c.Dir),
			Env:         e.environment(w.box, c.Env),
			AttachStdin: stdin, OpenStdin: stdin, StdinOnce: stdin, AttachStdout: true, AttachStderr: true,
			NetworkDisabled: true,
			Healthcheck:     &container.HealthConfig{Test: []string{"NONE"}}, // the image's own would run beside the command
			Labels:          map[string]string{labelState: e.state, labelBox: filepath.Base(filepath.Dir(w.dir))},
		},
		HostConfig: &container.HostConfig{
			NetworkMode: "none", IpcMode: "private", CgroupnsMode: "private", UsernsMode: e.userns,
			ReadonlyRootfs: true, CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges"}, Init: &yes,
			LogConfig: container.LogConfig{Type: "none"}, // what payloads print must not fill the engine's disk
			ShmSize:   128 * mib, Mounts: mounts,
			Tmpfs: map[string]string{
				"/tmp":     "rw,nosuid,nodev,exec,mode=1777,size=" + strconv.FormatInt(lim.DiskBytes, 10),
				"/run":     "rw,nosuid,nodev,noexec,mode=755,size=65536", // Podman would make these two without a limit
				"/var/tmp": "rw,nosuid,nodev,noexec,mode=755,size=65536",
			},
			Resources: container.Resources{
				Memory: lim.MemoryBytes, MemorySwap: lim.MemoryBytes, // no swap
				PidsLimit: &processes, Ulimits: ulimits(lim),
			},
		},
	}
}

// ulimits are the limits of single processes. Processes are counted by the
// container's cgroup; the limit here is the kernel's, over all containers of the
// same uid, and is only wide enough not to be in the way.
func ulimits(lim Limits) []*container.Ulimit {
	seconds := int64((lim.CPU + time.Second - 1) / time.Second)
	return []*container.Ulimit{
		{Name: "cpu", Soft: seconds, Hard: seconds + 2}, // SIGXCPU, then SIGKILL
		{Name: "fsize", Soft: lim.FileBytes, Hard: lim.FileBytes},
		{Name: "nofile", Soft: 4096, Hard: 4096},
		{Name: "nproc", Soft: max(8192, 16*int64(lim.Processes)), Hard: max(8192, 16*int64(lim.Processes))},
		{Name: "core", Soft: 0, Hard: 0},
		{Name: "msgqueue", Soft: 0, Hard: 0},
	}
}

// environment is the sandbox's clean one; the engine adds what the image sets
// and has no other name here.
func (e *engine) environment(box *Sandbox, own map[string]string) []string {
	var env []string
	for _, kv := range box.needed().under(box.environment(own)) {
		if rest, ok := strings.CutPrefix(kv[1], "/tmp/home"); ok {
			kv[1] = engineHome + rest
		}
		env = append(env, kv[0]+"="+kv[1])
	}
	return env
}

// mounts are the host folders of one command; undo removes what was copied.
func (e *engine) mounts(ctx context.Context, w *Workspace, cache *cacheDir, shown []Mount) (list []mount.Mount, undo func(), err error) {
	var copies []string
	undo = func() {
		for _, dir := range copies {
			_ = empty(dir)
			_ = os.Remove(dir)
		}
	}
	show := func(host, inside string, readOnly bool) {
		list = append(list, mount.Mount{Type: mount.TypeBind, Source: host, Target: filepath.Clean(inside), ReadOnly: readOnly,
			BindOptions: &mount.BindOptions{Propagation: mount.PropagationRPrivate}})
	}
	show(w.Path(), "/work", false)
	show(w.OutDir(), "/out", false)
	show(cache.path, "/cache", false)
	for _, m := range e.etc {
		show(m.Host, m.Inside, true)
	}
	for _, m := range shown {
		host := m.Host
		if _, err := os.Stat(host); err != nil { // some engines would make a folder of it
			return nil, undo, fmt.Errorf("sandbox: nothing to show inside: %w", err)
		}
		if e.owner >= 0 && !below(host, e.dir) && smallTree(host) { // modes of the host do not matter in a copy; those of a seal do
			dir, err := os.MkdirTemp(w.dir, "ro-")
			if err != nil {
				return nil, undo, fmt.Errorf("sandbox: making room for %s: %w", host, err)
			}
			copies = append(copies, dir)
			if host, err = e.copyIn(ctx, host, dir); err != nil {
				return nil, undo, err
			}
		}
		show(host, m.Inside, true)
	}
	return list, undo, nil
}

// copyIn copies a file or folder into dir, readable for the payload.
func (e *engine) copyIn(ctx context.Context, host, dir string) (string, error) {
	info, err := os.Stat(host)
	if err != nil {
		return "", fmt.Errorf("sandbox: nothing to show inside: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // a folder for another uid
		return "", err
	}
	if info.IsDir() {
		c := copier{owner: e.owner}
		if err := c.tree(ctx, host, dir); err != nil {
			return "", fmt.Errorf("sandbox: copying %s: %w", host, err)
		}
		return dir, nil
	}
	data, err := os.ReadFile(host)
	if err != nil {
		return "", fmt.Errorf("sandbox: reading what to show inside: %w", err)
	}
	to, mode := filepath.Join(dir, "file"), os.FileMode(0o444)|info.Mode()&0o111
	if err := os.WriteFile(to, data, mode); err != nil {
		return "", fmt.Errorf("sandbox: copying what to show inside: %w", err)
	}
	return to, os.Chmod(to, mode)
}
