"""Reads a flowmon sidecar (docs/format/sidecar.md) with Python's standard library alone.

    python3 sidecar_reader.py FILE.idx              the columns that it indexes, by id
    python3 sidecar_reader.py FILE.idx COLUMN_ID    each value of a column and its rows, as JSON lines

Addresses are text, times and durations are microseconds. Checksums are left to flowmon verify.
"""
import ipaddress, json, struct, sys

ADDRESSES, SIGNED, TEXTS = {6, 7, 22, 34}, {1, 2, 3, 4, 5}, {41, 42, 43}  # ids in flow.md


def footer(data):
    assert data[:4] == data[-4:] == b"PFA1", "no Puffin file"
    length = struct.unpack_from("<i", data, len(data) - 12)[0]
    return json.loads(data[len(data) - 12 - length : len(data) - 12])


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def roaring(data, at):  # github.com/RoaringBitmap/RoaringFormatSpec, without run containers
    count = struct.unpack_from("<i", data, at + 4)[0]
    for c in range(count):
        key, last = struct.unpack_from("<HH", data, at + 8 + 4 * c)
        start = at + struct.unpack_from("<I", data, at + 8 + 4 * count + 4 * c)[0]
        if last + 1 <= 4096:
            yield from (key << 16 | v for v in struct.unpack_from(f"<{last + 1}H", data, start))
        else:
            bits = int.from_bytes(data[start : start + 8192], "little")
            yield from (key << 16 | v for v in range(65536) if bits >> v & 1)


def rows(data, entry, lists):
    if entry >> 31:  # one row
        return [entry & 0x7FFFFFFF]
    head, at = varint(data, lists + entry)
    count, kind = head >> 2, head & 3
    if kind == 1:
        return list(roaring(data, at))
    first, at = varint(data, at)
    found = [first]
    for _ in range(count - 1):
        step, at = (1, at) if kind == 2 else varint(data, at)
        found.append(found[-1] + step)
    return found


def value(data, column, width, at, size, i):
    if column in TEXTS:
        begin, end = struct.unpack_from("<II", data, at + 4 * i)
        texts = at + 4 * (size + 1)
        return data[texts + begin : texts + end].decode()
    raw = data[at + i * width : at + (i + 1) * width]
    if column in ADDRESSES:
        address = ipaddress.ip_address(raw)
        return str(getattr(address, "ipv4_mapped", None) or address)
    number = int.from_bytes(raw, "big")
    return number - (1 << 63) if column in SIGNED else number


def postings(data, blob):
    at, column = blob["offset"], blob["fields"][0]
    size, width, lists, _ = struct.unpack_from("<4I", data, at)
    for i, entry in enumerate(struct.unpack_from(f"<{size}I", data, at + lists - 4 * size)):
        yield value(data, column, width, at + 16, size, i), rows(data, entry, at + lists)


if __name__ == "__main__":
    content = open(sys.argv[1], "rb").read()
    blobs = [b for b in footer(content)["blobs"] if b["type"].startswith("flowmon-postings-")]
    if len(sys.argv) == 2:
        print(*(b["fields"][0] for b in blobs))
    for b in blobs:
        if sys.argv[2:] == [str(b["fields"][0])]:
            for one, found in postings(content, b):
                print(json.dumps([one, found], ensure_ascii=False))
