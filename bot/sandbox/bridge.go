package sandbox

import (
	"maps"
	"path"
)

// Setup makes a Command one that installs dependencies. Its home folder stays
// for the next such command of the workspace, and it has the way out that Socket
// is, if any: a program that speaks HTTP finds a proxy in its environment.
type Setup struct {
	// Socket is the host path of a Unix socket behind which an HTTP proxy
	// listens; empty: no network.
	Socket string
	// Env is the operator's, such as the address of a package index.
	Env map[string]string
}

// Places of the inside that setup commands and layers know.
const (
	insideHome   = "/tmp/home"
	insideParts  = "/run/fettle"
	bridgeInside = insideParts + "/bridge"
	socketInside = insideParts + "/proxy"
)

// BridgeAddr is where a command finds what listens at its Setup.Socket.
const BridgeAddr = "127.0.0.1:3128"

// environment is what package managers look at. Without a way out they are
// told to stay offline, as in every other command.
func (c *Setup) environment() map[string]string {
	env := map[string]string{
		"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_BREAK_SYSTEM_PACKAGES": "1", "PIP_NO_CACHE_DIR": "1",
		"POETRY_VIRTUALENVS_IN_PROJECT": "true", "POETRY_NO_INTERACTION": "1", "UV_LINK_MODE": "copy", "UV_NO_CACHE": "1",
		"PYTHONUSERBASE": path.Join(insideHome, ".local"), "GOMODCACHE": goModules, "GOFLAGS": "-modcacherw",
		"npm_config_fund": "false", "npm_config_audit": "false", "npm_config_progress": "false",
	}
	if c.Socket != "" {
		proxy := "http://" + BridgeAddr
		for _, name := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "npm_config_proxy", "npm_config_https_proxy", "PIP_PROXY", "CARGO_HTTP_PROXY"} {
			env[name] = proxy
		}
		env["no_proxy"], env["NO_PROXY"] = "", ""
		env["GOPROXY"], env["npm_config_offline"] = "", "false" // empty: Go's own default
		env["JAVA_TOOL_OPTIONS"] = "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128"
	}
	env["CARGO_HOME"] = insideHome + "/.cargo"
	maps.Copy(env, jvmCaches(insideHome+"/.m2", insideHome+"/.gradle"))
	for k, v := range c.Env {
		env[k] = v
	}
	return env
}

// goModules is where Go keeps modules that a setup downloads.
const goModules = insideHome + "/go/pkg/mod"
