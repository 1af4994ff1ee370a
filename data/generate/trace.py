#!/usr/bin/python3
"""Writes data/traffic/requests.csv: the requests of eight hosts to one 1 Gbit/s port.

In each 512 ns (64 bytes at 1 Gbit/s) each host begins a request with probability 0.0375, independently: of 64 bytes, or
with probability 1/10 of 65 to 128. Python's random generator with seed 1 gives the same file everywhere.
"""
import random
import sys

SLOT_NS, SLOTS, HOSTS, RATE = 512, 40000, 8, 0.0375


def main():
    source = random.Random(1)
    print("time,bytes,input")
    for slot in range(SLOTS):
        for host in range(HOSTS):
            if source.random() < RATE:
                size = 64 if source.random() < 0.9 else source.randint(65, 128)
                print(f"{slot * SLOT_NS},{size},{host}")


if __name__ == "__main__":
    sys.exit(main())
