#!/usr/bin/env python3
"""Prints what counts of messages of topics "flowmon.reports.*" and "flowmon.alerts", as JSON.

usage: messages.py [FILE...]    a file holds messages' values, a line for each; none: standard input

Of each window these are the rows of its highest revision; of each alert its last message.
"""
import fileinput
import json
import sys

REPORT = ("analysis", "window_start", "window_end", "revision", "row_number", "columns")
ALERT = ("id", "number", "state", "severity", "analysis", "rule", "key", "columns")


def add_report(message, windows):
    window = tuple(message[name] for name in REPORT[:3])
    revision, rows = message["revision"], message["rows"]
    last, kept = windows.get(window, (0, {}))
    if revision < last:
        return
    if revision > last or rows == 0:
        kept = {}
    kept = {number: row for number, row in kept.items() if number <= rows}
    if rows > 0:  # else a report without rows, version 2
        kept[message["row_number"]] = {name: message[name] for name in REPORT}
    windows[window] = (revision, kept)


def add_alert(message, alerts):
    last = alerts.get(message["id"])
    if last is None or message["number"] >= last["number"]:
        alerts[message["id"]] = {name: message[name] for name in ALERT}


def main():
    windows, alerts = {}, {}
    for line in fileinput.input(encoding="utf-8"):
        message = json.loads(line)
        is_alert = "id" in message
        if message["version"] not in ((1,) if is_alert else (1, 2, 3)):
            sys.exit(f"version {message['version']}: this reads alerts of 1, reports of 1 to 3")
        if is_alert:
            add_alert(message, alerts)
        else:
            add_report(message, windows)
    for _, (_, kept) in sorted(windows.items()):
        for _, row in sorted(kept.items()):
            print(json.dumps(row))
    for _, alert in sorted(alerts.items()):
        print(json.dumps(alert))


if __name__ == "__main__":
    main()
