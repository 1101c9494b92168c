package org.flowmon.ingest.file.live;

import java.util.Arrays;
import java.util.Optional;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.CsvHeader;
import org.flowmon.ingest.file.format.FlowSource;

/** The first lines of a log without which its other lines cannot be read. */
public final class LogHeader {
  private LogHeader() {}

  /** Zeek's header lines, or CSV's; empty if a log has none, as JSON. */
  public static byte[] of(byte[] head, ColumnNames columns, Optional<FlowSource> source) {
    int end = 0;
    while (end < head.length && head[end] == '#' && !isMark(head, end)) {
      while (end < head.length && head[end++] != '\n') {
        // to the end of the line
      }
    }
    if (end > 0 || head.length == 0 || head[0] == '{' || head[0] == '[') {
      return Arrays.copyOf(head, end);
    }
    return CsvHeader.find(head, columns, source)
        .map(header -> Arrays.copyOf(head, header.end()))
        .orElse(new byte[0]);
  }

  private static boolean isMark(byte[] head, int at) {
    return at + 1 < head.length && head[at + 1] == ':';
  }
}
