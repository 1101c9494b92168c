package org.flowmon.archive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive's options for new segments, which change no answer, and its own columns: the file
 * {@code settings}, lines of {@code key: value} in UTF-8 ({@code docs/format/segment.md}).
 */
final class ArchiveSettings {
  static final String FILE = "settings";

  private static final Logger LOG = LoggerFactory.getLogger(ArchiveSettings.class);
  private static final String SEGMENTS = "segments: ";
  private static final String COLUMN = "column: ";
  private static final int MAX_BYTES = 1 << 16;

  private final ArchiveStore store;

  ArchiveSettings(ArchiveStore store) {
    this.store = store;
  }

  private List<String> lines() throws IOException {
    byte[] bytes = store.read(FILE, MAX_BYTES);
    return bytes == null ? List.of() : new String(bytes, StandardCharsets.UTF_8).lines().toList();
  }

  SegmentOptions segments() throws IOException {
    for (String line : renamed(lines())) {
      if (line.startsWith(SEGMENTS)) {
        try {
          return SegmentOptions.parse(line.substring(SEGMENTS.length()));
        } catch (IllegalArgumentException e) {
          throw new IOException(
              store.describe(FILE) + ": '" + line + "': " + e.getMessage() + "; set them anew", e);
        }
      }
    }
    return SegmentOptions.LOOKUP;
  }

  /** Makes the archive's own columns known to this process, so that queries can name them. */
  void defineColumns() throws IOException {
    for (String line : lines()) {
      if (line.startsWith(COLUMN)) {
        define(line, line.substring(COLUMN.length()).split(" ", 4));
      }
    }
  }

  private void define(String line, String[] fields) throws IOException {
    try {
      ColumnType type = ColumnType.valueOf(fields[2].toUpperCase(Locale.ROOT));
      int id = Integer.parseInt(fields[0]);
      String unit = fields.length == 4 ? fields[3] : "";
      if (FlowColumn.found(id, fields[1], type, unit).isEmpty()) {
        LOG.warn(
            "{}: '{}' is another column in this process; its values are read as NULL",
            store.describe(FILE),
            line);
      }
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new IOException(
          store.describe(FILE) + ": '" + line + "', expected 'column: ID NAME TYPE [UNIT]'", e);
    }
  }

  /** The lines with the names that their columns have in this process. */
  private static List<String> renamed(List<String> lines) {
    List<String> renamed = new ArrayList<>(lines);
    for (String line : lines) {
      String[] fields = line.split(" ", 5);
      if (line.startsWith(COLUMN) && fields.length >= 4) {
        FlowColumn column = FlowColumn.byId(Integer.parseInt(fields[1]));
        if (column != null && !column.sqlName().equals(fields[2])) {
          renamed.replaceAll(l -> l.replaceAll("\\b" + fields[2] + "\\b", column.sqlName()));
        }
      }
    }
    return renamed;
  }

  /** Writes down the process's own columns under their names here; other lines stay. */
  void keepColumns() throws IOException {
    List<FlowColumn> own = FlowColumn.own();
    if (own.isEmpty()) {
      return;
    }
    List<String> before = lines();
    List<String> lines = renamed(before);
    for (FlowColumn column : own) {
      lines.removeIf(line -> line.startsWith(COLUMN + column.id() + " "));
      lines.add(
          (COLUMN + column.id() + " " + column.sqlName() + " " + column.type() + " ")
                  .toLowerCase(Locale.ROOT)
              + column.unit());
    }
    if (!new TreeSet<>(lines).equals(new TreeSet<>(before))) {
      replace(lines);
    }
  }

  /** Replaces the options; other lines stay. */
  void setSegments(SegmentOptions options) throws IOException {
    List<String> lines = new ArrayList<>(lines());
    lines.removeIf(line -> line.startsWith(SEGMENTS));
    lines.add(SEGMENTS + options);
    replace(lines);
  }

  private void replace(List<String> lines) throws IOException {
    store.replace(FILE, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
