"""Relay UDP datagrams, and lose, double and reorder some of them.

    python -m tests.support.lossy_relay HOST_PORT SEED

It prints the port at which it listens. The last datagram of a trace consists of a header only. The
relay passes it on, prints the numbers of lost and of doubled datagrams, and ends.
"""

from __future__ import annotations

import socket
import sys
from random import Random

HEADER_BYTES = 8  # header of a datagram (protocol/SPEC.md, "UDP")
LOST, DOUBLED = 0.05, 0.05
KEPT_BACK = 4  # number of datagrams that are collected and shuffled
PATIENCE_S = 60.0


def main(host_port: int, seed: int) -> None:
    """Relay datagrams up to the last one."""
    random = Random(seed)
    lost = doubled = 0
    kept: list[bytes] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as relay:
        relay.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        relay.settimeout(PATIENCE_S)
        relay.bind(("127.0.0.1", 0))
        print(relay.getsockname()[1], flush=True)  # noqa: T201 - a program
        is_last = False
        while not is_last:
            data = relay.recv(1 << 16)
            is_last = len(data) == HEADER_BYTES
            chance = 1.0 if is_last else random.random()
            if chance < LOST:
                lost += 1
                continue
            is_doubled = chance < LOST + DOUBLED
            doubled += is_doubled
            kept += [data] * (1 + is_doubled)
            if len(kept) > KEPT_BACK or is_last:
                random.shuffle(kept)
                for one in kept:
                    relay.sendto(one, ("127.0.0.1", host_port))
                kept.clear()
    print(lost, doubled, flush=True)  # noqa: T201 - a program


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
