package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"
	"github.com/sirupsen/logrus"
)

// engine is the backend that starts every command in a container of its own, of
// a Docker-compatible engine: Docker, or Podman's service. The walls are the
// engine's: no network, a read-only image, no capability, no new privileges, its
// default seccomp filter, limits by cgroup. The copy of the tree is mounted from
// the host, so the engine has to share files with us: it is reached by a Unix
// socket only, and where it runs in a virtual machine (macOS), the state folder
// has to be one that the machine shares. The self-test finds out.
//
// Toolchains are those of the operator's image. Nothing is ever pulled.
type engine struct {
	api    *client.Client
	log    logrus.FieldLogger
	image  string               // id: a tag that is moved while we run changes nothing
	env    map[string]string    // that the image brings
	user   string               // uid:gid inside
	userns container.UsernsMode // "keep-id" for a Podman without root
	owner  int                  // uid of the copy's files, -1 for our own
	state  string               // label that tells our containers from those of other state folders
	etc    []Mount              // files of /etc that tell nothing of the host
	dir    string               // host folder of these, and of seals
	drop   func() error         // removes it

	removals sync.WaitGroup // of containers that ended
	seals    engineSeals
}

// engineTimeout bounds one request that should be answered at once.
const engineTimeout = 60 * time.Second

// openEngine connects, looks the engine and the image over, and tries the walls.
func (s *Sandbox) openEngine(ctx context.Context, cfg Config) error {
	e := &engine{log: s.log, owner: -1, drop: func() error { return nil }}
	host, err := e.connect(ctx, cfg.EngineHost)
	if err != nil {
		return err
	}
	info, err := e.api.Info(ctx, client.InfoOptions{})
	if err != nil {
		return fmt.Errorf("sandbox: asking the engine at %s what it is: %w", host, err)
	}
	if err := e.examine(ctx, info.Info); err != nil {
		return err
	}
	if err := e.takeImage(ctx, cfg.EngineImage); err != nil {
		return err
	}
	if e.state, err = stateID(ctx, s.state); err != nil {
		return err
	}
	if err := e.sweep(ctx, s.state); err != nil {
		return err
	}
	if err := e.writeEtc(s.state); err != nil {
		return err
	}
	s.back, s.tools = e, &toolchains{programs: map[string]string{}, dirs: e.imagePath()}
	s.walls = e.wallsOf(info.Info)
	err = s.engineSelfTest(ctx, e)
	if err == nil {
		s.tools, err = e.discover(ctx, s)
	}
	if err != nil {
		return errors.Join(err, s.Close()) // with the cache that the test had
	}
	s.walls.SelfTest = true
	return nil
}

// examine refuses an engine that cannot keep the limits, and settles whose
// rights the payload has.
func (e *engine) examine(ctx context.Context, info system.Info) error {
	if info.OSType != "" && info.OSType != "linux" {
		return fmt.Errorf("sandbox: the engine runs %s containers; it has to run Linux ones", info.OSType)
	}
	var missing []string
	if !info.MemoryLimit {
		missing = append(missing, "memory")
	}
	if !info.PidsLimit {
		missing = append(missing, "processes")
	}
	if len(missing) > 0 {
		return fmt.Errorf("sandbox: the engine says that it cannot limit %s here; enable these cgroup controllers on its machine (a rootless engine needs cgroup v2 with delegation)", strings.Join(missing, " and "))
	}
	rootless := slices.ContainsFunc(info.SecurityOptions, func(o string) bool { return o == "rootless" || strings.HasPrefix(o, "name=rootless") })
	podman := false
	if v, err := e.api.ServerVersion(ctx, client.ServerVersionOptions{}); err == nil {
		podman = slices.ContainsFunc(v.Components, func(c system.ComponentVersion) bool { return strings.Contains(c.Name, "Podman") })
	}
	uid, gid := os.Getuid(), os.Getgid()
	switch {
	case rootless && !podman:
		// Its root is this user, without a capability; any other uid could not
		// write the copy.
		uid, gid = 0, 0
	case rootless:
		e.userns = "keep-id"
	case uid == 0:
		uid = payloadUID
		if !uidMapped(uid) {
			uid = nobodyUID
		}
		gid, e.owner = uid, uid
	}
	e.user = fmt.Sprintf("%d:%d", uid, gid)
	return nil
}

// wallsOf says what an engine's walls are; the self-test has yet to see them.
func (e *engine) wallsOf(info system.Info) Walls {
	w := Walls{Backend: Engine, User: "own uid", Memory: "cgroup of " + engineName(info), Disk: "watchdog", Seccomp: true, Network: true}
	switch {
	case e.owner >= 0:
		w.User = "another uid"
	case strings.HasPrefix(e.user, "0:") || e.userns != "":
		w.User = "own uid, mapped"
	}
	return w
}

func engineName(info system.Info) string {
	name := "Docker " + info.ServerVersion
	if info.InitBinary == "" || info.ProductLicense == "Apache-2.0" { // Podman's answers
		name = "the engine, version " + info.ServerVersion
	}
	if info.CgroupVersion != "" {
		name += " (v" + info.CgroupVersion + ")"
	}
	return name
}

// howToImage is what an operator without an image does.
const howToImage = "build one with your toolchains, for example: printf 'FROM debian:stable-slim\\nRUN apt-get update && apt-get install -y python3 python3-pytest nodejs git make\\n' | docker build -t fettle-tools -, and set engine.image: fettle-tools"

// takeImage finds the operator's image among the engine's own.
func (e *engine) takeImage(ctx context.Context, name string) error {
	if name == "" {
		return errors.New("sandbox: engine.image is not set: commands need an image to run in; " + howToImage)
	}
	found, err := e.api.ImageInspect(ctx, name)
	if err != nil {
		return fmt.Errorf("sandbox: the engine has no image %s (%w); fettle pulls nothing by itself: run docker pull %s, or %s", name, err, name, howToImage)
	}
	if found.Os != "" && found.Os != "linux" {
		return fmt.Errorf("sandbox: the image %s is for %s; it has to be a Linux one", name, found.Os)
	}
	e.image, e.env = found.ID, map[string]string{}
	if found.Config == nil {
		return nil
	}
	if len(found.Config.Volumes) > 0 {
		return fmt.Errorf("sandbox: the image %s declares volumes (VOLUME), which payloads could fill outside of their quota; build one without", name)
	}
	for _, kv := range found.Config.Env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			e.env[k] = v
		}
	}
	return nil
}

// imagePath is the PATH that the image sets.
func (e *engine) imagePath() []string {
	var dirs []string
	for dir := range strings.SplitSeq(e.env["PATH"], ":") {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	if len(dirs) == 0 {
		dirs = []string{"/usr/local/bin", "/usr/bin", "/bin"}
	}
	return dirs
}

// writeEtc makes the files that stand for the host's or the image's: the
// payload's name, and no resolver.
func (e *engine) writeEtc(state string) error {
	dir, lock, err := newBox(state)
	if err != nil {
		return err
	}
	e.dir, e.drop = dir, func() error { return dropBox(dir, lock) }
	ids := strings.Split(e.user, ":")
	for name, content := range map[string]string{
		"passwd":      fmt.Sprintf("%s:x:%s:%s::/tmp:/bin/sh\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n", insideName, ids[0], ids[1]),
		"group":       fmt.Sprintf("%s:x:%s:\nnogroup:x:65534:\n", insideName, ids[1]),
		"resolv.conf": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return errors.Join(fmt.Errorf("sandbox: writing the inside /etc: %w", err), e.drop())
		}
		e.etc = append(e.etc, Mount{Host: path, Inside: "/etc/" + name})
	}
	return nil
}

// close implements backend.
func (e *engine) close() {
	e.removals.Wait()
	if err := e.drop(); err != nil {
		e.log.WithError(err).Warn("sandbox: a folder was not removed")
	}
	_ = e.api.Close()
}
