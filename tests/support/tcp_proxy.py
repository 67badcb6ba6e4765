#!/usr/bin/env python3
"""tcp_proxy.py HOST:PORT FAULT DIRECTION BYTES [CONNECTIONS] - a proxy that disturbs connections, for stores with servers

Forwards connections to HOST:PORT.  In the first CONNECTIONS (1; 0: all), after BYTES bytes in the DIRECTION "up" (to the
server) or "down" (from it):

    reset   both ends are reset; what was sent before may be lost, as with a broken network
    cut     both ends are closed
    stall   nothing more is forwarded in that direction, and the connection stays open
    drip    each further byte takes 5 ms
    none    nothing

Prints its port; ends with its input.  As a module: Proxy(("127.0.0.1", 6379)) with plan(), port, connections, count.
"""
import socket
import struct
import sys
import threading
import time

FAULTS = ("reset", "cut", "stall", "drip", "none")
DIRECTIONS = ("up", "down")


class Proxy:
    def __init__(self, target, fault="none", direction="down", at=0, connections=1):
        self.target = target
        self.lock = threading.Lock()
        self.plan(fault, direction, at, connections)
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def plan(self, fault, direction="down", at=0, connections=1):
        """What happens to the connections from now on; `count` holds the bytes of the last one by direction"""
        assert fault in FAULTS and direction in DIRECTIONS
        with self.lock:
            self.fault, self.direction, self.at, self.left = fault, direction, at, connections
            self.limited = connections > 0
            self.seen = 0
            self.count = {"up": 0, "down": 0}

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with self.lock:
            disturbed = self.fault != "none" and (self.left > 0 or not self.limited)
            self.left -= 1
            self.seen += 1
            fault = (self.fault if disturbed else "none", self.direction, self.at)
            count = self.count = {"up": 0, "down": 0}
        try:
            server = socket.create_connection(self.target, timeout=10)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        for s in (client, server):
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pair = (client, server)
        up = threading.Thread(target=self.pump, args=(client, server, "up", fault, pair, count), daemon=True)
        up.start()
        self.pump(server, client, "down", fault, pair, count)
        up.join()
        for s in pair:
            s.close()

    @staticmethod
    def pump(source, sink, direction, plan, pair, count):
        """Forward one direction until its end or its fault"""
        fault, where, at = plan
        mine = fault if where == direction else "none"
        try:
            while True:
                if mine in ("reset", "cut", "stall") and count[direction] >= at:
                    return end(mine, pair)
                data = source.recv(65536)
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return None
                room = at - count[direction]
                if mine in ("reset", "cut", "stall"):
                    data = data[:room]
                slow = data[max(0, room):] if mine == "drip" else b""
                fast = data[:len(data) - len(slow)]
                sink.sendall(fast)
                for i in range(len(slow)):
                    sink.sendall(slow[i:i + 1])
                    time.sleep(0.005)
                count[direction] += len(data)
        except OSError:
            return end("cut", pair)


def end(fault, pair):
    if fault == "stall":
        return
    for s in pair:
        try:
            if fault == "reset":
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                s.shutdown(socket.SHUT_RD)  # wakes the other thread; then serve() closes both, which resets them
            else:
                s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def main():
    if len(sys.argv) not in (5, 6) or sys.argv[2] not in FAULTS or sys.argv[3] not in DIRECTIONS:
        sys.exit(__doc__)
    host, port = sys.argv[1].rsplit(":", 1)
    proxy = Proxy((host, int(port)), sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) == 6 else 1)
    print(proxy.port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
