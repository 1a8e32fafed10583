//go:build linux || darwin

package grammar

import (
	"context"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// mapped is an instance's memory in a mapping of its own: it grows in place,
// and goes back to the system when the instance is closed, not when the garbage
// collector comes by. Only pages that were written to count.
type mapped struct{ all []byte }

// withMemory has instances that are made under ctx use mapped memory, where
// the system gives it.
func withMemory(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, limit uint64) experimental.LinearMemory {
		size := int(limit) //nolint:gosec // at most memoryPages
		all, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
		if err != nil {
			return &copied{}
		}
		return &mapped{all}
	}))
}

// Reallocate implements experimental.LinearMemory.
func (m *mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size]
}

// Free implements experimental.LinearMemory.
func (m *mapped) Free() {
	if m.all != nil {
		_ = syscall.Munmap(m.all)
		m.all = nil
	}
}

// copied is memory of Go's own, where a limit on addresses forbids a mapping.
type copied struct{ all []byte }

// Reallocate implements experimental.LinearMemory.
func (c *copied) Reallocate(size uint64) []byte {
	if grow := int(size) - len(c.all); grow > 0 { //nolint:gosec // at most memoryPages
		c.all = append(c.all, make([]byte, grow)...)
	}
	return c.all[:size]
}

// Free implements experimental.LinearMemory.
func (c *copied) Free() { c.all = nil }
