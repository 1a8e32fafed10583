//go:build linux || darwin

package grammar

import "testing"

func TestMemoryWithoutAMappingGrowsToo(t *testing.T) {
	t.Parallel()
	c := &copied{}
	first := c.Reallocate(8)
	first[7] = 1
	if grown := c.Reallocate(1 << 16); len(grown) != 1<<16 || grown[7] != 1 || grown[8] != 0 {
		t.Errorf("%d bytes, %v", len(grown), grown[:9])
	}
	c.Free()
}
