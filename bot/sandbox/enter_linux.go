package sandbox

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"
)

// enterAddress is where the code of enter_linux_*.s begins. It is position
// independent, is never called here, and ends with enterEnd.
var enterAddress uintptr

const (
	enterEnd  = "fettle\x00\x01"
	enterMost = imageTable - 0x100
	enterName = "enter" // in the inside /etc/fettle
	enterPath = "/etc/fettle/" + enterName
)

// enterCode is the helper's code.
func enterCode() ([]byte, error) {
	code := unsafe.Slice(*(**byte)(unsafe.Pointer(&enterAddress)), enterMost) //nolint:gosec // our own program text, read only as far as the mark
	for n := 0; n+len(enterEnd) <= len(code); n++ {                           // not further than the mark: what lies behind is not ours
		if string(code[n:n+len(enterEnd)]) == enterEnd {
			return bytes.Clone(code[:n]), nil
		}
	}
	return nil, errors.New("sandbox: the code of the Landlock helper has no end")
}

// enterImage is the helper as a static ELF program of about 3 kB. It is made
// here, not shipped, so that what runs is what the source says.
func enterImage(version int, rules []lockRule) ([]byte, error) {
	code, err := enterCode()
	if err != nil {
		return nil, err
	}
	machine := elf.EM_X86_64
	if runtime.GOARCH == "arm64" {
		machine = elf.EM_AARCH64
	}
	const headers = 64 + 2*56
	table := lockTable(version, rules)
	size := uint64(imageTable + len(table))
	head := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Entry: imageBase + headers, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 2,
	}
	parts := []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: imageBase, Paddr: imageBase, Filesz: size, Memsz: size, Align: 0x10000},
		{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W), Align: 16},
	}
	var out bytes.Buffer
	for _, part := range []any{head, parts, code} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	out.Write(make([]byte, imageTable-out.Len()))
	out.Write(table)
	return out.Bytes(), nil
}

// writeEnter puts the helper into the inside /etc.
func writeEnter(etc string, version int) error {
	image, err := enterImage(version, lockRules())
	if err != nil {
		return err
	}
	dir := filepath.Join(etc, path.Base(path.Dir(enterPath)))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := filepath.Join(dir, enterName)
	return errors.Join(os.WriteFile(file, image, 0o755), os.Chmod(file, 0o555))
}

// entered is the command line that starts argv through the helper: where its
// program may lie, an empty word, and argv. The helper takes the first that the
// kernel executes, as execvp(3) does.
func entered(argv []string, searchPath string) []string {
	out := []string{enterPath}
	if strings.Contains(argv[0], "/") {
		out = append(out, argv[0])
	} else {
		for dir := range strings.SplitSeq(searchPath, ":") {
			if dir == "" {
				dir = "." // the working directory, says POSIX
			}
			out = append(out, dir+"/"+argv[0])
		}
	}
	return append(append(out, ""), argv...)
}
