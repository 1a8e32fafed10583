package sandbox

import (
	"strings"
	"testing"
	"time"
)

// TestS06AServiceCannotLookIntoTheSealedCommand: it runs before the command has
// read its key, with or without Landlock.
func TestS06AServiceCannotLookIntoTheSealedCommand(t *testing.T) {
	t.Parallel()
	const hostile = `
import glob, os, socket, threading
def look():
    tried = 0
    while True:
        for p in glob.glob('/proc/[0-9]*'):
            if p == '/proc/%d' % os.getpid():
                continue
            for f in glob.glob(p + '/fd/*') + [p + '/fd/0', p + '/environ', p + '/mem', p + '/task/' + p[6:] + '/fd/0']:
                try:
                    tried += 1
                    fd = os.open(f, os.O_RDONLY | os.O_NONBLOCK)
                    data = os.read(fd, 100000)
                    if b'the key' in data:
                        open('/out/stolen', 'a').write(f + '\n')
                    os.close(fd)
                except OSError:
                    pass
        open('/out/tried', 'w').write(str(tried))
threading.Thread(target=look).start()
s = socket.create_server(('127.0.0.1', 19555))
while True:
    s.accept()
`
	for name, cfg := range map[string]Config{"with Landlock": {}, "without": {noLock: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newBoxed(t, cfg).Session()
			defer s.Close()
			if err := s.Need(Needs{Services: []Service{{Name: "spy", Argv: []string{"python3", "-c", hostile}, Port: 19555, Within: 20 * time.Second}}}); err != nil {
				t.Fatal(err)
			}
			w := workspace(t, s, nil)
			r, err := w.Run(t.Context(), Command{
				Argv: []string{"python3", "-c", "import os, sys, time\ntime.sleep(2)\nprint(len(sys.stdin.read()), os.path.exists('/out/tried'))"}, Stdin: strings.NewReader("the key"),
				Needs: true, Sealed: true, Env: map[string]string{"OWN": "the key"},
			})
			if err != nil || string(r.Stdout) != "7 True\n" {
				t.Errorf("%v %+v\n%s\n%s", err, r.Unserved, r.Stdout, r.Stderr)
			}
			if stolen, err := w.ReadOut("stolen", 1<<20); err == nil {
				t.Errorf("the service read the key at %s", stolen)
			}
		})
	}
}
