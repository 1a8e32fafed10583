package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// namespaceArguments are the options that every command shares (TRUST, "Sandbox
// profile"): the namespaces and the descriptors of start.
func namespaceArguments() []string {
	return []string{
		"--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
		"--cap-drop", "ALL", "--uid", insideUID, "--gid", insideUID, "--hostname", "sandbox", "--clearenv",
		"--json-status-fd", "3", "--block-fd", "4", "--seccomp", "5",
	}
}

// systemArguments show the system: its folders are bound one by one to a root
// that bwrap makes. Where we may mount, a tree is prepared instead.
func systemArguments(etc string) []string {
	args := []string{"--ro-bind", "/usr", "/usr", "--ro-bind", etc, "/etc"}
	links, dirs := systemFolders()
	for dir, target := range links {
		args = append(args, "--symlink", target, dir)
	}
	for _, dir := range dirs {
		args = append(args, "--ro-bind", dir, dir)
	}
	return append(args, "--dir", "/run", "--dir", "/var", "--symlink", "/tmp", "/var/tmp")
}

// systemFolders are those beside /usr and /etc that programs need: links into
// /usr, by their targets, or folders; and the certificates, which a runtime
// wants to read even where there is no network.
func systemFolders() (links map[string]string, dirs []string) {
	links = map[string]string{}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		if target, err := os.Readlink(dir); err == nil {
			links[dir] = target
		} else if info, err := os.Stat(dir); err == nil && info.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range []string{"/etc/ssl/certs", "/etc/pki/tls/certs"} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	return links, dirs
}

// deviceArguments make /proc and /dev. What the machine was started with is its own.
func deviceArguments() []string {
	return []string{"--proc", "/proc", "--ro-bind", "/dev/null", "/proc/cmdline", "--dev", "/dev", "--size", strconv.FormatInt(128*mib, 10), "--perms", "1777", "--tmpfs", "/dev/shm"}
}

// writeEtc fills a folder with the little of /etc that programs need, and with what
// was made for the toolchains. Nothing of the host's accounts, names or settings is in it.
func writeEtc(dir string, made map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("sandbox: making the inside /etc: %w", err)
	}
	files := map[string]string{
		"passwd":        insideName + ":x:" + insideUID + ":" + insideUID + "::/tmp/home:/bin/sh\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n",
		"group":         insideName + ":x:" + insideUID + ":\nnogroup:x:65534:\n",
		"hosts":         "127.0.0.1 localhost sandbox\n::1 localhost\n",
		"hostname":      "sandbox\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
		"resolv.conf":   "",
		"gitconfig":     "[safe]\n\tdirectory = *\n",
	}
	for _, name := range []string{"ld.so.cache", "ld.so.conf", "localtime", "mime.types", "services", "protocols", "os-release"} {
		if data, err := os.ReadFile(filepath.Join("/etc", name)); err == nil {
			files[name] = string(data)
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return fmt.Errorf("sandbox: writing the inside /etc: %w", err)
		}
	}
	for _, sub := range []string{"ssl/certs", "pki/tls/certs"} {
		if info, err := os.Stat(filepath.Join("/etc", sub)); err == nil && info.IsDir() {
			if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
				return err
			}
		}
	}
	for rel, content := range made {
		path := filepath.Join(dir, rel)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			return fmt.Errorf("sandbox: writing the inside /etc: %w", err)
		}
	}
	return errors.Join(copyLinks("/etc/alternatives", filepath.Join(dir, "alternatives")), copyJava(dir))
}

// copyJava copies what distributions keep in /etc of a JDK and of Maven and neither
// starts without: what everybody may read, but no settings of the machine.
func copyJava(dir string) error {
	all, _ := filepath.Glob("/etc/java-*-openjdk")
	for _, from := range append(all, "/etc/java", "/etc/maven") {
		err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() == "settings.xml" || d.Name() == "toolchains.xml" {
				return nil //nolint:nilerr // not there, or not for everybody
			}
			info, err := d.Info()
			if err != nil || d.IsDir() || info.Mode()&0o4 == 0 {
				return err
			}
			to := filepath.Join(dir, strings.TrimPrefix(name, "/etc"))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if target, err := os.Readlink(name); err == nil {
				return os.Symlink(target, to) //nolint:gosec // of the distribution, into a folder of ours
			}
			data, err := os.ReadFile(name) //nolint:gosec // of the distribution
			if err != nil || !info.Mode().IsRegular() {
				return err
			}
			return os.WriteFile(to, data, 0o644)
		})
		if err != nil {
			return fmt.Errorf("sandbox: copying %s: %w", from, err)
		}
	}
	return nil
}

// copyLinks copies a folder of symbolic links (Debian's alternatives).
func copyLinks(from, to string) error {
	list, err := os.ReadDir(from)
	if err != nil {
		return nil //nolint:nilerr // not a Debian
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, e := range list {
		if target, err := os.Readlink(filepath.Join(from, e.Name())); err == nil {
			if err := os.Symlink(target, filepath.Join(to, e.Name())); err != nil && !os.IsExist(err) {
				return err
			}
		}
	}
	return nil
}

// seen is the path by which bwrap, on the stage's thread, sees a folder of a
// workspace.
func (b *bubblewrap) seen(w *Workspace, sub string) string {
	return filepath.Join(strings.TrimPrefix(w.dir, b.stage.via), sub)
}

// tmp gives the command its own /tmp. On a sized tmpfs of ours it is a folder
// there, under the same quota; else bwrap makes one of limited size.
func (b *bubblewrap) tmp(w *Workspace, lim Limits) (args []string, drop func(), err error) {
	if !w.sized {
		return []string{"--size", strconv.FormatInt(lim.DiskBytes, 10), "--perms", "1777", "--tmpfs", "/tmp"}, func() {}, nil
	}
	dir, err := os.MkdirTemp(w.dir, "tmp-")
	if err != nil {
		return nil, nil, fmt.Errorf("sandbox: making the inside /tmp: %w", err)
	}
	drop = func() {
		_ = empty(dir)
		_ = os.Remove(dir)
	}
	if err := os.Chown(dir, w.owner, w.owner); err != nil {
		drop()
		return nil, nil, fmt.Errorf("sandbox: making the inside /tmp: %w", err)
	}
	return []string{"--bind", b.seen(w, filepath.Base(dir)), "/tmp"}, drop, nil
}

// readOnly makes a host path bindable by the payload's uid. What is small is
// copied, so that the modes of the host (0700 folders, 0600 files) do not
// matter; what is large is bound as it is.
func (b *bubblewrap) readOnly(host string) (from string, drop func(), err error) {
	if !b.stage.private {
		return host, func() {}, nil
	}
	at := b.place("ro")
	if smallTree(host) {
		return at, func() { b.remove(at) }, b.copyIn(host, at)
	}
	if err := b.stage.bind(host, at); err != nil {
		return "", nil, err
	}
	return at, func() { _ = b.stage.unmount(at) }, nil
}

func (b *bubblewrap) remove(at string) {
	_ = b.stage.do(func() error { return os.RemoveAll(at) })
}

func (b *bubblewrap) copyIn(host, at string) error {
	info, err := os.Stat(host)
	if err != nil {
		return fmt.Errorf("sandbox: nothing to show inside: %w", err)
	}
	to := b.stage.host(at)
	if err := b.stage.do(func() error { return mountTarget(at, info.IsDir()) }); err != nil {
		return fmt.Errorf("sandbox: making room for %s: %w", host, err)
	}
	if info.IsDir() {
		c := copier{owner: b.uid}
		return c.tree(context.Background(), host, to)
	}
	data, err := os.ReadFile(host)
	if err != nil {
		return fmt.Errorf("sandbox: reading what to show inside: %w", err)
	}
	mode := os.FileMode(0o444) | info.Mode()&0o111
	if err := os.WriteFile(to, data, mode); err != nil {
		return fmt.Errorf("sandbox: copying what to show inside: %w", err)
	}
	return os.Chmod(to, mode)
}
