"""server.py - a server of tests as a process: on a free port, until its standard input ends, so that it never outlives
its parent"""
import argparse
import http.server
import ssl
import sys
import threading


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        pass  # clients may disconnect


def options(description):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    parser.add_argument("--host", default="127.0.0.1")
    return parser


def run(handler, args):
    """Print the port and serve"""
    server = Server((args.host, 0), handler)
    if args.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*args.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
