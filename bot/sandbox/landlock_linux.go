package sandbox

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// Landlock is the second wall (landlock(7)): what a payload may do with files
// is decided by the folder that a path leads through, whatever the mounts say.
// A mount that should not be there, a descriptor of a host folder or a way out
// of the mount namespace gives nothing to it.
//
// A process has to lock itself, after the mounts are made, since Landlock
// forbids to make any. bubblewrap cannot do that; it starts a tiny program of
// ours, which locks itself and becomes the payload (enter_linux_*.s).

// landlockLeast is the first version that tells moves between folders from
// others. Version 1 forbids them all, and no build tool works under that.
const landlockLeast = 2

// What rules may grant. Everything that the kernel's version can handle and no
// rule grants is refused: making device nodes, for instance.
const (
	accessRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	accessFile = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	accessTree = accessRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	accessDevice = accessFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
)

// lockRule grants what may be done with a file, or with what lies below a folder.
type lockRule struct {
	path   string // inside; one that is not there is passed over
	access uint64
}

// lockRules are the same for every command. /dev/null has its own because the
// payload's stdin is the host's, which is not below the inside /dev.
func lockRules() []lockRule {
	return []lockRule{
		{"/", accessRead},
		{"/work", accessTree}, {"/out", accessTree}, {"/tmp", accessTree}, {"/cache", accessTree}, {"/dev/shm", accessTree},
		{insideParts, accessTree}, // a layer's folders, read-only but for scratch space
		{"/dev", accessDevice}, {"/dev/null", accessFile},
	}
}

// lockAttributes is the kernel's struct landlock_ruleset_attr for a version of
// its interface, as many bytes as that version knows.
//
// Network rules are not among them: Landlock knows ports, not addresses, and a
// test suite may use any port of its own loopback. The network namespace and
// the seccomp filter are the walls there.
func lockAttributes(version int) (attr unix.LandlockRulesetAttr, size int) {
	attr.Handled_access_fs = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
	size = 8
	if version >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		size = 16 // the network's rights; none are handled
	}
	if version >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		size = 24
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr, size
}

// landlockVersion asks the kernel for the version of its interface; 0: it has
// no Landlock, or it is off, and why says which.
func landlockVersion() (version int, why string) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch {
	case errno == unix.ENOSYS:
		return 0, "this kernel has no Landlock; it comes with Linux 5.13"
	case errno == unix.EOPNOTSUPP:
		return 0, "Landlock is switched off; add it to the kernel's lsm= parameter"
	case errno != 0:
		return 0, fmt.Sprintf("asking the kernel for Landlock: %v", errno)
	case v < landlockLeast:
		return 0, fmt.Sprintf("Landlock version %d forbids to move files between folders; Linux 5.19 has a version that does not", v)
	}
	return int(v), ""
}

// Where the table of enter_linux_*.s lies, and how its image is laid out in
// memory: headers, code, table, strings, in one segment that can be read and
// executed.
const (
	imageBase  = 0x400000
	imageTable = 0x800 // offset of the table: the code is far shorter
)

// lockTable is what the helper reads: the ruleset's attributes, the rules, the
// words that it may have to say, and the strings that these point to.
//
//	0  size of the attributes   8  the attributes, 24 bytes
//	32 "/bin/sh"                40 "not found", 48 its length
//	56 "not locked"             64 its length
//	72 rules: rights, path; a path of 0 ends them
func lockTable(version int, rules []lockRule) []byte {
	const at = imageBase + imageTable
	attr, size := lockAttributes(version)
	head := 72 + 16*(len(rules)+1)
	var words, strings []byte
	word := func(v uint64) { words = binary.LittleEndian.AppendUint64(words, v) }
	text := func(s string) {
		word(uint64(at + head + len(strings)))
		strings = append(strings, s+"\x00"...)
	}
	said := func(s string) { text(s); word(uint64(len(s))) }
	word(uint64(size))
	word(attr.Handled_access_fs)
	word(attr.Handled_access_net)
	word(attr.Scoped)
	text("/bin/sh")
	said("sandbox: the program is not there or cannot be executed: ")
	said("sandbox: the kernel refused the Landlock rules; nothing was run\n")
	for _, r := range rules {
		word(r.access & attr.Handled_access_fs)
		text(r.path)
	}
	word(0)
	word(0)
	return append(words, strings...)
}
