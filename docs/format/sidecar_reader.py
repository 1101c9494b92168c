"""Reads a flowmon sidecar (sidecar.md). FILE.idx: prints the ids of the columns that are indexed; FILE.idx COLUMN_ID: each
value and its rows, as JSON lines. Of columns in flow.md addresses are text, times and durations
microseconds; no checksum is checked."""
import ipaddress, itertools, json, struct, sys
ADDRESSES = {6, 7, 22, 34, 49, 50, 69, 78, 79}  # ids in flow.md
SIGNED = {1, 2, 3, 4, 5, 77}

def footer(data):
    assert data[:4] == data[-4:] == b"PFA1", "no Puffin file"
    return json.loads(data[-12 - struct.unpack_from("<i", data, len(data) - 12)[0] : -12])

def varints(data):
    value = shift = 0
    for byte in data:
        value, shift = value | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:
            yield value
            value = shift = 0

def roaring(data):  # github.com/RoaringBitmap/RoaringFormatSpec, without run containers
    count = struct.unpack_from("<i", data, 4)[0]
    for c in range(count):
        key, last = struct.unpack_from("<HH", data, 8 + 4 * c)
        start = struct.unpack_from("<I", data, 8 + 4 * count + 4 * c)[0]
        if last < 4096:
            low = struct.unpack_from(f"<{last + 1}H", data, start)
        else:
            low = (v for v in range(65536) if data[start + v // 8] >> v % 8 & 1)
        yield from (key << 16 | v for v in low)

def rows(entry, lists):
    if entry >> 31:
        return [entry & 0x7FFFFFFF]  # the only one
    numbers = varints(lists[entry:])
    count, kind = divmod(head := next(numbers), 4)
    if kind == 1:
        return list(roaring(lists[entry + (head.bit_length() + 6) // 7 :]))
    steps = itertools.islice(numbers, count) if kind == 0 else [next(numbers)] + [1] * (count - 1)
    return list(itertools.accumulate(steps))

def value(column, raw):
    if column in ADDRESSES:
        address = ipaddress.ip_address(raw)
        return str(getattr(address, "ipv4_mapped", None) or address)
    return int.from_bytes(raw, "big") - (1 << 63 if column in SIGNED else 0)

def postings(blob, column):
    size, width, lists, _ = struct.unpack_from("<4I", blob)
    ends = range(0, size * width + 1, width) if width else struct.unpack_from(f"<{size + 1}I", blob, 16)
    dictionary = bytes(blob[16 if width else 20 + 4 * size : lists - 4 * size])
    for i, entry in enumerate(struct.unpack_from(f"<{size}I", blob, lists - 4 * size)):
        raw = dictionary[ends[i] : ends[i + 1]]
        yield value(column, raw) if width else raw.decode(), rows(entry, blob[lists:])

if __name__ == "__main__":
    content = open(sys.argv[1], "rb").read()
    blobs = {b["fields"][0]: b for b in footer(content)["blobs"] if b["type"].startswith("flowmon-postings-")}
    if len(sys.argv) == 2:
        print(*blobs)
    for column in map(int, sys.argv[2:]):
        for one, found in postings(memoryview(content)[blobs[column]["offset"] :], column):
            print(json.dumps([one, found], ensure_ascii=False))
