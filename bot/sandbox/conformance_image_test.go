package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/moby/moby/client"
)

// engineImage gives the image that the suite runs in: the operator's own, or one
// made of this system's shell, its small programs and Python. Nothing is pulled.
func engineImage(t *testing.T, api *client.Client) string {
	t.Helper()
	if name := os.Getenv("FETTLE_TEST_ENGINE_IMAGE"); name != "" {
		return name
	}
	if runtime.GOOS != "linux" {
		t.Skip("an engine answers, but this system's programs cannot stand in a Linux image: name a local one with FETTLE_TEST_ENGINE_IMAGE")
	}
	name := "fettle-conformance:" + nonce()
	answer, err := api.ImageImport(context.Background(), client.ImageImportSource{Source: bytes.NewReader(localRoot(t)), SourceName: "-"}, name,
		client.ImageImportOptions{Changes: []string{"ENV PATH=/usr/bin:/bin OF_THE_IMAGE=yes"}})
	if err == nil {
		_, err = io.Copy(io.Discard, answer)
		_ = answer.Close()
	}
	if err != nil {
		t.Fatalf("importing an image: %v", err)
	}
	t.Cleanup(func() { _, _ = api.ImageRemove(context.Background(), name, client.ImageRemoveOptions{Force: true}) })
	return name
}

// rootfs is a small file system, written as a tar stream.
type rootfs struct {
	t    *testing.T
	w    *tar.Writer
	have map[string]bool
}

func localRoot(t *testing.T) []byte {
	var out bytes.Buffer
	r := rootfs{t: t, w: tar.NewWriter(&out), have: map[string]bool{}}
	for _, link := range []string{"/bin", "/lib", "/lib64"} {
		if target, err := os.Readlink(link); err == nil {
			r.header(&tar.Header{Typeflag: tar.TypeSymlink, Name: link[1:], Linkname: target})
		}
	}
	r.header(&tar.Header{Typeflag: tar.TypeDir, Name: "tmp", Mode: 0o1777})
	for _, name := range []string{"sh", "cat", "cp", "dd", "env", "head", "id", "ls", "mkdir", "seq", "setsid", "sleep", "tail", "touch", "tr", "true"} {
		for _, dir := range []string{"/usr/bin", "/bin"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				r.program(filepath.Join(dir, name))
				break
			}
		}
	}
	r.python()
	if err := r.w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (r rootfs) header(h *tar.Header) {
	r.have["/"+h.Name] = true
	if h.Mode == 0 {
		h.Mode = 0o755
	}
	if err := r.w.WriteHeader(h); err != nil {
		r.t.Fatal(err)
	}
}

// file copies a file to where it stands, but below real folders.
func (r rootfs) file(path string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	if r.have[path] {
		return path
	}
	data, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.header(&tar.Header{Typeflag: tar.TypeReg, Name: path[1:], Size: int64(len(data))})
	if _, err := r.w.Write(data); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// program copies a program or library with its loader and the libraries that it
// needs.
func (r rootfs) program(path string) {
	path = r.file(path)
	f, err := elf.Open(path)
	if err != nil {
		return // a script
	}
	defer f.Close()
	if loader, err := loaderOf(f); err == nil && loader != "" {
		r.file(loader)
	}
	needs, _ := f.ImportedLibraries()
	for _, name := range needs {
		dirs, _ := filepath.Glob("/usr/lib/*-linux-gnu")
		for _, dir := range append(dirs, "/usr/lib64", "/usr/lib", "/lib64", "/lib") {
			at := filepath.Join(dir, name)
			if _, err := os.Stat(at); err == nil {
				if !r.have[at] {
					r.program(at)
				}
				break
			}
		}
	}
}

// python copies the system's interpreter and standard library, where it has one.
func (r rootfs) python() {
	real, err := filepath.EvalSymlinks("/usr/bin/python3")
	if err != nil {
		return
	}
	r.program(real)
	r.header(&tar.Header{Typeflag: tar.TypeSymlink, Name: "usr/bin/python3", Linkname: real})
	_ = filepath.WalkDir(filepath.Join("/usr/lib", filepath.Base(real)), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			for _, much := range []string{"test", "tests", "idlelib", "lib2to3", "ensurepip", "tkinter", "pydoc_data", "__pycache__"} {
				if e.Name() == much {
					return filepath.SkipDir
				}
			}
			return nil
		}
		switch {
		case strings.HasSuffix(path, ".so"):
			r.program(path)
		case strings.HasSuffix(path, ".py") && e.Type().IsRegular():
			r.file(path)
		}
		return nil
	})
}
