// Prints what counts of messages of topics "flowmon.reports.*" and "flowmon.alerts", as JSON: of each
// window the rows of its highest revision, of each alert its last message.
//
// usage: go run messages.go < FILE    the messages' values, a line for each
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

type report struct {
	Analysis    string          `json:"analysis"`
	WindowStart string          `json:"window_start"`
	WindowEnd   string          `json:"window_end"`
	Revision    int             `json:"revision"`
	RowNumber   int             `json:"row_number"`
	Columns     json.RawMessage `json:"columns"` // sums have up to 128 bits
}

type alert struct {
	ID       string          `json:"id"`
	Number   int64           `json:"number"`
	State    string          `json:"state"`
	Severity string          `json:"severity"`
	Analysis string          `json:"analysis"`
	Rule     string          `json:"rule"`
	Key      string          `json:"key"`
	Columns  json.RawMessage `json:"columns"`
}

type window struct {
	revision int
	rows     map[int]report
}

func addReport(line []byte, rows int, windows map[string]window) error {
	var row report
	if err := json.Unmarshal(line, &row); err != nil {
		return err
	}
	key := row.Analysis + "|" + row.WindowStart + "|" + row.WindowEnd
	kept, known := windows[key]
	if known && row.Revision < kept.revision {
		return nil
	}
	if !known || row.Revision > kept.revision || rows == 0 {
		kept = window{row.Revision, map[int]report{}}
	}
	for number := range kept.rows {
		if number > rows {
			delete(kept.rows, number)
		}
	}
	if rows > 0 { // else a report without rows, version 2
		kept.rows[row.RowNumber] = row
	}
	windows[key] = kept
	return nil
}

func addAlert(line []byte, alerts map[string]alert) error {
	var message alert
	if err := json.Unmarshal(line, &message); err != nil {
		return err
	}
	if message.Number >= alerts[message.ID].Number {
		alerts[message.ID] = message
	}
	return nil
}

func sorted[K int | string, V any](all map[K]V) []K {
	keys := make([]K, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func run() error {
	windows, alerts := map[string]window{}, map[string]alert{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var kind struct {
			ID            string
			Version, Rows int
		}
		err := json.Unmarshal(lines.Bytes(), &kind)
		switch {
		case err != nil:
		case kind.ID != "" && kind.Version == 1:
			err = addAlert(lines.Bytes(), alerts)
		case kind.ID == "" && kind.Version >= 1 && kind.Version <= 3:
			err = addReport(lines.Bytes(), kind.Rows, windows)
		default:
			err = fmt.Errorf("version %d: this reads alerts of 1, reports of 1 to 3", kind.Version)
		}
		if err != nil {
			return err
		}
	}
	out := json.NewEncoder(os.Stdout)
	for _, key := range sorted(windows) {
		for _, number := range sorted(windows[key].rows) {
			if err := out.Encode(windows[key].rows[number]); err != nil {
				return err
			}
		}
	}
	for _, id := range sorted(alerts) {
		if err := out.Encode(alerts[id]); err != nil {
			return err
		}
	}
	return lines.Err()
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
