// Prints the flows of messages of topic "flows" as JSON, a line for each; NULLs are left out.
//
// usage: go run flows.go columns.csv [FILE...]    a file holds one message's value; none: standard input
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"unicode/utf8"
)

const ( // docs/format/flow.md, "Flow batch, version 1"
	headerBytes, entryBytes       = 88, 12
	constant, dense, nullable     = 1, 2, 3
	address, text, ipv4           = 8, 9, 64
	mostRows, mostBytes, mostText = 1 << 16, 64 << 20, 1024
)

var le = binary.LittleEndian
var width = map[byte]int{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 8, 7: 8, address: 16, 10: 8, ipv4: 4}

// column gives a row's value; part is all that belongs to the column.
func column(part []byte, rows int, stored, encoding byte) (func(row int) any, error) {
	if encoding < constant || encoding > nullable {
		return nil, fmt.Errorf("unknown encoding %d", encoding)
	}
	words, slots, bytes := 0, rows, width[stored]
	if encoding == nullable {
		words = (rows + 63) / 64 * 8
	} else if encoding == constant {
		slots = 1
	}
	needed := words + slots*bytes
	if stored == text {
		needed = words + 4*(slots+1)
	} else if bytes == 0 {
		return nil, fmt.Errorf("unknown stored type %d", stored)
	}
	if len(part) < needed {
		return nil, fmt.Errorf("%d bytes, %d rows need %d", len(part), rows, needed)
	}
	values, rest := part[words:], part[needed:]
	for i, start := 0, uint32(0); stored == text && i <= slots; i++ {
		end := le.Uint32(values[4*i:])
		if end < start || end-start > mostText || uint64(end) > uint64(len(rest)) || i == 0 && end != 0 {
			return nil, fmt.Errorf("the text before row %d lies outside", i)
		}
		if !utf8.Valid(rest[start:end]) {
			return nil, fmt.Errorf("the text before row %d is not UTF-8", i)
		}
		start = end
	}
	return func(row int) any {
		if encoding == nullable && part[row>>3]>>(row&7)&1 == 0 {
			return nil
		}
		if encoding == constant {
			row = 0
		}
		if stored == text {
			return string(rest[le.Uint32(values[4*row:]):le.Uint32(values[4*row+4:])])
		}
		v := values[row*bytes:]
		switch stored {
		case 1:
			return v[0] != 0
		case 2:
			return int(v[0]) // not a byte: it would be a character
		case 3:
			return le.Uint16(v)
		case 4:
			return le.Uint32(v)
		case ipv4:
			return netip.AddrFrom4([4]byte{v[3], v[2], v[1], v[0]}).String()
		case address:
			var ip [16]byte
			binary.BigEndian.PutUint64(ip[:8], le.Uint64(v))
			binary.BigEndian.PutUint64(ip[8:], le.Uint64(v[8:]))
			return netip.AddrFrom16(ip).Unmap().String()
		}
		return int64(le.Uint64(v))
	}, nil
}

// flows prints a line for each row; a heartbeat has none.
func flows(value []byte, names map[byte]string, out *json.Encoder) error {
	if len(value) < headerBytes || len(value) > mostBytes || string(value[:4]) != "FLWB" {
		return fmt.Errorf("%d bytes that are no flow batch", len(value))
	}
	version, rows, columns := le.Uint16(value[4:]), int(le.Uint32(value[8:])), int(le.Uint16(value[12:]))
	begin := headerBytes + columns*entryBytes
	if version != 1 || uint64(le.Uint32(value[80:])) != uint64(len(value)) || rows > mostRows || begin > len(value) {
		return fmt.Errorf("version %d, %d rows, %d columns in %d bytes", version, rows, columns, len(value))
	}
	read := map[string]func(int) any{}
	for at := headerBytes; at < begin; at += entryBytes {
		name, known := names[value[at]]
		offset, size := uint64(le.Uint32(value[at+4:])), uint64(le.Uint32(value[at+8:]))
		if !known {
			continue // a column of a later version, or of one's own
		}
		if read[name] != nil || offset < uint64(begin) || offset%8 != 0 || offset+size > uint64(len(value)) {
			return fmt.Errorf("column %s stands twice or lies outside", name)
		}
		reader, err := column(value[offset:offset+size], rows, value[at+1], value[at+2])
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		read[name] = reader
	}
	for row := 0; row < rows; row++ {
		flow := map[string]any{}
		for name, reader := range read {
			if v := reader(row); v != nil {
				flow[name] = v
			}
		}
		if err := out.Encode(flow); err != nil {
			return err
		}
	}
	return nil
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: flows columns.csv [FILE...]")
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return err
	}
	names := map[byte]string{}
	for _, line := range lines {
		if id, err := strconv.ParseUint(line[0], 10, 8); err == nil { // not the heading
			names[byte(id)] = line[1]
		}
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, name := range append(args[1:], "/dev/stdin")[:max(1, len(args)-1)] {
		value, err := os.ReadFile(name)
		if err == nil {
			err = flows(value, names, json.NewEncoder(out))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
