package org.flowmon.ingest.file.format;

import java.util.List;
import org.flowmon.ingest.file.line.CsvRecords;
import org.jspecify.annotations.Nullable;

/**
 * The first record: names as written, the place after it, its line feeds and earlier empty lines.
 */
public record CsvHeader(List<String> names, byte separator, int end, long lines) {
  private static final byte[] SEPARATORS = {',', ';', '\t', '|'};

  /** By the separator that gives the most names; null if none is known. */
  public static @Nullable CsvHeader find(byte[] head, ColumnNames columns) {
    int from = head.length > 2 && head[0] == (byte) 0xEF && head[1] == (byte) 0xBB ? 3 : 0;
    long lines = 0;
    while (from < head.length && (head[from] == '\n' || head[from] == '\r')) {
      lines += head[from++] == '\n' ? 1 : 0;
    }
    CsvHeader best = null;
    long mostKnown = 0;
    for (byte separator : SEPARATORS) {
      CsvRecords records = new CsvRecords(separator);
      int end = records.end(head, from, head.length, true);
      List<String> names = records.fields(head, from, end);
      long known = names.stream().filter(name -> columns.of(name.trim()) != null).count();
      if (known > mostKnown) {
        best = new CsvHeader(names, separator, end, lines + lineFeeds(head, from, end));
        mostKnown = known;
      }
    }
    return best;
  }

  private static long lineFeeds(byte[] bytes, int from, int to) {
    long count = 0;
    for (int i = from; i < to; i++) {
      count += bytes[i] == '\n' ? 1 : 0;
    }
    return count;
  }
}
