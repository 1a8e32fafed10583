package regular

import "slices"

// HoldsKeys tells by its name whether a file may hold keys for a package registry:
// installers look for these in what they install into, and no program needs them there.
func HoldsKeys(name string) bool {
	return slices.Contains([]string{"pip.conf", "pip.ini", ".npmrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc"}, name)
}
