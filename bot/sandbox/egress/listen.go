package egress

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// longest is what a Unix socket's name may have (sockaddr_un, less the NUL).
const longest = 100

// Listen makes a Unix socket that everybody who can reach its folder may
// connect to. The caller removes it with its folder.
func Listen(path string) (net.Listener, error) {
	name := path
	if len(path) > longest { // named through a descriptor of its folder
		dir, err := os.Open(filepath.Dir(path))
		if err != nil {
			return nil, fmt.Errorf("egress: opening the socket's folder: %w", err)
		}
		defer dir.Close()
		name = filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())), filepath.Base(path))
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("egress: listening at %s: %w", path, err)
	}
	l.SetUnlinkOnClose(false)
	if err := os.Chmod(path, 0o666); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("egress: opening the socket to the payload: %w", err)
	}
	return l, nil
}
