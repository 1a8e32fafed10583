"""Tries every way out; prints one word and one outcome per way.

Arguments: port of a TCP listener, port of a UDP listener and the name of an
abstract socket, all on the host."""
import socket, struct, sys

tcp, udp, name = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


def attempt(what, do):
    try:
        do()
        print(what, "REACHED", flush=True)
    except Exception as e:
        print(what, "refused", type(e).__name__, getattr(e, "errno", ""), flush=True)


def tcp_to(host, port):
    socket.create_connection((host, port), 1).sendall(b"canary")


def udp_to(host, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(0.3)
    s.connect((host, port))
    s.send(b"canary")
    s.recv(10)


def udp_away():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.sendto(b"canary", ("192.0.2.1", 53))


def abstract():
    s = socket.socket(socket.AF_UNIX)
    s.connect("\0" + name)
    s.sendall(b"canary")


def vsock():
    socket.socket(getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM).connect((2, 1024))


attempt("tcp-loopback", lambda: tcp_to("127.0.0.1", tcp))
attempt("tcp-away", lambda: tcp_to("192.0.2.1", 80))
attempt("tcp6-loopback", lambda: tcp_to("::1", tcp))
attempt("udp-loopback", lambda: udp_to("127.0.0.1", udp))
attempt("udp-away", udp_away)
attempt("metadata", lambda: tcp_to("169.254.169.254", 80))
attempt("dns", lambda: socket.getaddrinfo("example.com", 80))
attempt("abstract", abstract)
attempt("vsock", vsock)
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW, socket.htons(3)))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("bluetooth", lambda: socket.socket(31, socket.SOCK_RAW, 1))
attempt("alg", lambda: socket.socket(38, socket.SOCK_SEQPACKET, 0))
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname(), 1)
print("own-loopback works", flush=True)
