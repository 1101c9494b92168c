package org.flowmon.ingest.file.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.ingest.file.line.CsvRecords;
import org.jspecify.annotations.Nullable;

/**
 * The first record: whose names it has, the names as written, the place after it, its line feeds
 * and earlier empty lines. A file without a header has its source's names, and nothing before its
 * first record but empty lines.
 */
public record CsvHeader(
    FlowSource source, List<String> names, byte separator, int end, long lines) {
  private static final byte[] SEPARATORS = {',', ';', '\t', '|', ' '};

  /** The first record, taken apart at one separator. */
  private record Reading(byte separator, int end, List<String> names) {
    boolean fits(FlowSource source) {
      return source.has(separator == ' ' ? FlowSource.Shape.SPACES : FlowSource.Shape.CSV);
    }
  }

  /**
   * By the separator that makes most known names; another program's names count before flowmon's
   * own. Empty if no name is known.
   *
   * @param forced the only source, if the user says which
   */
  public static Optional<CsvHeader> find(
      byte[] head, ColumnNames columns, Optional<FlowSource> forced) {
    int begin = begin(head);
    int from = isMark(head, begin) ? begin + 2 : begin;
    List<Reading> readings = readings(head, from);
    List<FlowSource> sources = forced.map(List::of).orElseGet(SourceTable::all);
    @Nullable CsvHeader best = null;
    int most = 0;
    for (FlowSource source : sources) {
      for (Reading reading : readings) {
        int score = reading.fits(source) ? score(source, reading, columns, forced) : 0;
        if (score > most) {
          long lines = lineFeeds(head, 0, reading.end);
          best = new CsvHeader(source, reading.names, reading.separator, reading.end, lines);
          most = score;
        }
      }
    }
    return best == null ? headless(head, begin, readings, sources) : Optional.of(best);
  }

  private static int begin(byte[] head) {
    int from = head.length > 2 && head[0] == (byte) 0xEF && head[1] == (byte) 0xBB ? 3 : 0;
    while (from < head.length && (head[from] == '\n' || head[from] == '\r')) {
      from++;
    }
    return from;
  }

  /** Flow-tools begins a header so. */
  static boolean isMark(byte[] head, int at) {
    return at + 1 < head.length && head[at] == '#' && head[at + 1] == ':';
  }

  private static List<Reading> readings(byte[] head, int from) {
    List<Reading> readings = new ArrayList<>();
    for (byte separator : SEPARATORS) {
      CsvRecords records = new CsvRecords(separator);
      int end = records.end(head, from, head.length, true);
      List<String> names = new ArrayList<>(records.fields(head, from, end));
      if (separator == ' ') {
        names.removeIf(String::isBlank);
      }
      readings.add(new Reading(separator, end, names.stream().map(String::strip).toList()));
    }
    return readings;
  }

  /** Other programs' names are distinctive, flowmon's many: a name of theirs counts for more. */
  private static int score(
      FlowSource source, Reading reading, ColumnNames columns, Optional<FlowSource> forced) {
    if (forced.isPresent() || source.isFlowmon()) {
      ColumnNames names = columns.of(source);
      return (int) reading.names.stream().filter(name -> names.of(name) != null).count();
    }
    List<String> plain = reading.names.stream().map(FlowSource::plain).toList();
    return 1000 * source.score(plain, columns.areGiven());
  }

  /** The file begins with a record: of the source whose header fits its values. */
  private static Optional<CsvHeader> headless(
      byte[] head, int begin, List<Reading> readings, List<FlowSource> sources) {
    for (FlowSource source : sources) {
      for (Reading reading : readings) {
        if (reading.fits(source) && source.isRecord(reading.names)) {
          byte separator = reading.separator;
          return Optional.of(
              new CsvHeader(source, source.header(), separator, begin, lineFeeds(head, 0, begin)));
        }
      }
    }
    return Optional.empty();
  }

  private static long lineFeeds(byte[] bytes, int from, int to) {
    long count = 0;
    for (int i = from; i < to; i++) {
      count += bytes[i] == '\n' ? 1 : 0;
    }
    return count;
  }
}
