// Package egress is the only way out of a sandbox: an HTTP proxy for commands
// that install dependencies, which lets through nothing but the hosts that the
// operator named (SPEC C1).
//
// It listens where its caller says, on a Unix socket that is shown inside the
// sandbox; the host gets no TCP port. In come CONNECT requests for TLS and plain
// GET and HEAD with an absolute address; everything else is refused. A host and
// port have to be on the list, the name is resolved here, and the address that
// is dialled is the one that was looked at: private, loopback, link-local,
// multicast and metadata addresses are refused unless the operator named that
// host as private, so that neither a name that changes its address nor one that
// points inwards leads into the operator's network. TLS in a tunnel has to ask for the
// name that the tunnel is for: behind one address may stand many.
//
// Bytes, connections and time are bounded. What was asked for and what became
// of it is kept as Visits. The proxy sees no secret and adds none, but for the
// credentials of the operator's own proxy, where there is one to go through.
package egress
