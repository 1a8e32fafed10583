package sandbox

import (
	"fmt"
	"io"
	"net"
	"os"
)

// The bridge is this very program, shown inside and started under the bridge's
// name: it listens on the loopback of the sandbox's own network namespace, copies
// what comes to the Unix socket that the proxy listens at, and starts the command.
// A process that was started under no such name pays one comparison.
func init() {
	if len(os.Args) > 1 && os.Args[0] == bridgeInside {
		os.Exit(bridge(os.Args[1:]))
	}
}

// bridge runs a command beside the listener and returns its exit status, 128+n
// after signal n.
func bridge(argv []string) int {
	l, err := net.Listen("tcp4", BridgeAddr) //nolint:noctx // it ends with the namespace
	if err != nil {
		fmt.Fprintln(os.Stderr, "fettle: the bridge to the proxy:", err)
		return 126
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go carry(c.(*net.TCPConn))
		}
	}()
	return through(argv, os.Stdin)
}

// carry copies both directions of a connection.
func carry(near *net.TCPConn) {
	defer near.Close()
	c, err := net.Dial("unix", socketInside) //nolint:noctx // a local socket answers at once
	if err != nil {
		return
	}
	far := c.(*net.UnixConn)
	defer far.Close()
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(far, near)
		_ = far.CloseWrite()
		close(done)
	}()
	_, _ = io.Copy(near, far)
	_ = near.CloseWrite()
	<-done
}

// bridged gives bwrap's options for the bridge, and the command line that goes
// through it.
func (b *bubblewrap) bridged(setup *Setup, argv []string) (args, run []string, undo func(), err error) {
	var undos []func()
	undo = func() {
		for _, f := range undos {
			f()
		}
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, undo, fmt.Errorf("sandbox: finding our own program for the bridge to the proxy: %w", err)
	}
	for _, m := range []Mount{{exe, bridgeInside}, {setup.Socket, socketInside}} {
		from, drop, err := b.lend(m.Host)
		if err != nil {
			return nil, nil, undo, err
		}
		undos = append(undos, drop)
		args = append(args, "--ro-bind", from, m.Inside)
	}
	return args, append([]string{bridgeInside}, argv...), undo, nil
}

// lend makes a host path, whatever it is, one that bwrap can bind, until drop.
func (b *bubblewrap) lend(host string) (from string, drop func(), err error) {
	if !b.stage.private {
		return host, func() {}, nil
	}
	at := b.place("lent")
	if err := b.stage.bind(host, at); err != nil {
		return "", nil, err
	}
	return at, func() { _ = b.stage.unmount(at) }, nil
}
