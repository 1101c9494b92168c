#!/usr/bin/env python3
"""Prints the flows of messages of topic "flows" as JSON, a line for each; NULLs are left out.

usage: flows.py columns.csv [FILE...]    a file holds one message's value; none: standard input
"""
import csv
import ipaddress
import json
import struct
import sys

HEADER = struct.Struct("<4sHHIHH8qII")  # docs/format/flow.md, "Flow batch, version 1"
ENTRY = struct.Struct("<BBBBII")
CONSTANT, DENSE, NULLABLE = 1, 2, 3
ADDRESS, TEXT, IPV4 = 8, 9, 64
FIXED = {1: "<?", 2: "<B", 3: "<H", 4: "<I", 5: "<q", 6: "<q", 7: "<q", 10: "<q",
         ADDRESS: "<QQ", IPV4: "<I"}
MOST_ROWS, MOST_BYTES, MOST_TEXT = 1 << 16, 64 << 20, 1024


def expect(holds, problem):
    if not holds:
        raise ValueError(problem)


def address(high, low):
    value = ipaddress.IPv6Address(high << 64 | low)
    return str(value.ipv4_mapped or value)


def fixed(part, slots, stored):
    expect(stored in FIXED, f"unknown stored type {stored}")
    layout = struct.Struct(FIXED[stored])
    expect(len(part) >= slots * layout.size, "too short for its rows")
    values = layout.iter_unpack(part[: slots * layout.size])
    if stored == ADDRESS:
        return [address(high, low) for high, low in values]
    if stored == IPV4:
        return [str(ipaddress.IPv4Address(value)) for (value,) in values]
    return [value for (value,) in values]


def texts(part, slots):
    begin = 4 * (slots + 1)
    expect(len(part) >= begin, "too short for its rows")
    ends = [end for (end,) in struct.iter_unpack("<I", part[:begin])]
    expect(ends[0] == 0 and ends[-1] <= len(part) - begin, "a text lies outside")
    values = []
    for start, end in zip(ends, ends[1:]):
        expect(start <= end <= start + MOST_TEXT, "a text's place is out of order or range")
        values.append(bytes(part[begin + start : begin + end]).decode("utf-8"))
    return values


def column(part, rows, stored, encoding):
    expect(encoding in (CONSTANT, DENSE, NULLABLE), f"unknown encoding {encoding}")
    words = (rows + 63) // 64 * 8 if encoding == NULLABLE else 0
    expect(len(part) >= words, "too short for its rows")
    slots = 1 if encoding == CONSTANT else rows
    values = (texts if stored == TEXT else lambda p, s: fixed(p, s, stored))(part[words:], slots)
    if encoding == CONSTANT:
        return values * rows
    if encoding == NULLABLE:
        return [v if part[i >> 3] >> (i & 7) & 1 else None for i, v in enumerate(values)]
    return values


def flows(value, names):
    """Yields a dict for each row; a heartbeat has none."""
    expect(HEADER.size <= len(value) <= MOST_BYTES, f"{len(value)} bytes are no flow batch")
    magic, version, _, rows, columns, *_, length, _ = HEADER.unpack_from(value)
    expect(magic == b"FLWB", "the first four bytes are not 'FLWB'")
    expect(version == 1, f"version {version}, this reads version 1")
    expect(length == len(value), f"it says it has {length} bytes, found {len(value)}")
    expect(rows <= MOST_ROWS, f"{rows} rows, at most {MOST_ROWS}")
    begin = HEADER.size + columns * ENTRY.size
    expect(begin <= len(value), f"no room for {columns} columns")
    read = {}
    for i in range(columns):
        key, stored, encoding, _, offset, size = ENTRY.unpack_from(value, HEADER.size + i * ENTRY.size)
        if key not in names:
            continue  # a column of a later version, or of one's own
        try:
            expect(names[key] not in read, "stands twice")
            expect(begin <= offset and offset % 8 == 0 and offset + size <= len(value), "lies outside")
            read[names[key]] = column(memoryview(value)[offset : offset + size], rows, stored, encoding)
        except ValueError as e:
            raise ValueError(f"column {names[key]}: {e}") from e
    for row in range(rows):
        yield {name: values[row] for name, values in read.items() if values[row] is not None}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        names = {int(row["id"]): row["column"] for row in csv.DictReader(file)}
    for name in sys.argv[2:] or ["-"]:
        with sys.stdin.buffer if name == "-" else open(name, "rb") as file:
            value = file.read()
        try:
            for flow in flows(value, names):
                print(json.dumps(flow))
        except ValueError as e:
            sys.exit(f"{name}: {e}")


if __name__ == "__main__":
    main()
