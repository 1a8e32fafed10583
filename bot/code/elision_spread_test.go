package code

import "testing"

func TestE2SpreadSyntaxIsNoElision(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"  ...rest,", "...(existing ?? []),", "...(rest || {}),", "\t...rest.map(f),", "...existing.items,", "...remaining", "...(rest ? rest : []),",
		"// The rest of the parts may be empty; unchanged ones are kept as they are.", "# Other callers have the same lock, which is held."} {
		if IsElision(line) {
			t.Errorf("%q counts as left out", line)
		}
	}
	for _, line := range []string{"... rest of the code", "...rest of the function unchanged", "...(rest unchanged)", "... (existing code)", "// ... rest", "# the rest of the code is unchanged", "// other methods remain the same", "/* ... */", "# rest of the code should remain unchanged"} {
		if !IsElision(line) {
			t.Errorf("%q is taken for code", line)
		}
	}
}
