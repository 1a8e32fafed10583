package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const rubyQuestion = `require "json"; require "rbconfig"
puts JSON.dump(path: RbConfig.ruby, version: RUBY_VERSION, prefix: RbConfig::CONFIG["prefix"], gems: Gem.path.select { |d| File.directory?(d) }, home: Dir.home, user: Gem.user_dir)`

// findRuby shows the real Ruby, not a version manager's shim, and the gems that are
// installed for it.
func findRuby(ctx context.Context, q *questions) finding {
	f := finding{env: map[string]string{}}
	for _, path := range onPath("ruby") {
		var a struct {
			Path, Version, Prefix, Home, User string
			Gems                              []string
		}
		if !q.ask(ctx, &a, func() []string { return append(slices.Clone(a.Gems), a.Path, a.User) }, path, "-e", rubyQuestion) || !filepath.IsAbs(a.Path) {
			continue
		}
		f.tools = append(f.tools, Tool{Name: "ruby", Path: a.Path, Version: a.Version})
		f.shown = append(append(f.shown, a.Prefix), storeOf(path)...)
		bins := []string{filepath.Dir(a.Path)}
		for _, dir := range a.Gems {
			bins = append(bins, filepath.Join(dir, "bin"))
			if !below(dir, "/usr") { // inside, the home that they may lie in is another one
				for _, part := range []string{"gems", "specifications", "extensions", "bundler", "bin"} { // not the credentials beside them
					if sub := filepath.Join(dir, part); isDir(sub) {
						f.shown = append(f.shown, sub)
					}
				}
				mine := filepath.Join(insideHome, strings.TrimPrefix(a.User, a.Home)) // where a setup installs
				f.env["GEM_PATH"] = strings.Join(append([]string{mine}, a.Gems...), string(filepath.ListSeparator))
			}
		}
		for _, name := range []string{"bundle", "rake", "rspec"} {
			for _, dir := range bins {
				if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
					f.tools = append(f.tools, Tool{Name: name, Path: filepath.Join(dir, name)})
					break
				}
			}
		}
		return f
	}
	return f
}

const phpQuestion = `echo json_encode(["path" => PHP_BINARY, "version" => PHP_VERSION, "extensions" => ini_get("extension_dir"), "memory" => ini_get("memory_limit"),
"settings" => array_filter(array_map("trim", explode(",", php_ini_loaded_file() . "," . php_ini_scanned_files())))]);`

var extension = regexp.MustCompile(`(?m)^[ \t]*(?:zend_)?extension[ \t]*=[ \t]*[^\r\n]+`)

// extensionsIn are the lines of PHP's settings that load extensions. Others may hold
// licences and passwords, as those of agents that watch a server do.
func extensionsIn(files []string) string {
	var out []string
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			out = append(out, extension.FindAllString(string(data), -1)...)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// phpFolders are PHP's files of settings and the folders that they lie in.
func phpFolders(files []string) []string {
	out := slices.Clone(files)
	for _, f := range files {
		out = append(out, filepath.Dir(f))
	}
	return out
}

// findPHP shows PHP with its extensions, and a PHPUnit that is installed for the user.
func findPHP(ctx context.Context, q *questions) finding {
	var f finding
	for _, path := range onPath("php") {
		var a struct {
			Path, Version, Extensions, Memory string
			Settings                          []string
		}
		if !q.ask(ctx, &a, func() []string { return append(phpFolders(a.Settings), a.Path, a.Extensions) }, path, "-r", phpQuestion) || !filepath.IsAbs(a.Path) {
			continue
		}
		f.tools = append(f.tools, Tool{Name: "php", Path: a.Path, Version: a.Version})
		f.shown = append(f.shown, a.Path, a.Extensions)
		if bin := filepath.Dir(a.Path); filepath.Base(bin) == "bin" {
			f.shown = append(f.shown, filepath.Dir(bin))
		}
		f.shown = append(f.shown, storeOf(path)...)
		f.env = map[string]string{"PHPRC": "/etc/php", "PHP_INI_SCAN_DIR": "/etc/php"}
		f.etc = map[string]string{"php/php.ini": "memory_limit = " + a.Memory + "\n" + extensionsIn(a.Settings)}
		if units := onPath("phpunit"); len(units) > 0 {
			f.tools = append(f.tools, Tool{Name: "phpunit", Path: units[0]})
			if vendor := filepath.Dir(filepath.Dir(units[0])); filepath.Base(vendor) == "vendor" {
				f.shown = append(f.shown, vendor)
			} else {
				f.shown = append(f.shown, units[0])
			}
		}
		return f
	}
	return f
}
