package org.flowmon.archive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.flowmon.archive.lease.SettingsLock;
import org.flowmon.archive.log.LazyLogger;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;

/**
 * The archive's options for new segments, which change no answer, and its own columns: the file
 * {@code settings}, lines of {@code key: value} in UTF-8 ({@code docs/format/segment.md}).
 */
final class ArchiveSettings {
  static final String FILE = "settings";

  private static final LazyLogger LOG = new LazyLogger(ArchiveSettings.class);
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
    List<String> lines = lines();
    for (String line : lines) {
      if (line.startsWith(SEGMENTS)) {
        return segments(line, columns(lines));
      }
    }
    return SegmentOptions.LOOKUP;
  }

  /** Columns have their names in the file, which may be older than those of this process. */
  private SegmentOptions segments(String line, List<Column> columns) throws IOException {
    try {
      return SegmentOptions.parse(
          line.substring(SEGMENTS.length()),
          name ->
              columns.stream()
                  .filter(column -> column.name().equals(name))
                  .findFirst()
                  .map(column -> column.find().stream().toList())
                  .orElseGet(() -> List.of(SegmentOptions.known(name))));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          store.describe(FILE) + ": '" + line + "': " + e.getMessage() + "; set the options again",
          e);
    }
  }

  /** A line of a user's column; a type of a later version may be unknown here. */
  private record Column(int id, String name, String type, String unit) {
    static Column parse(String line) {
      String[] fields = line.substring(COLUMN.length()).split(" ", 4);
      if (fields.length < 3) {
        throw new IllegalArgumentException("too few words");
      }
      return new Column(
          Integer.parseInt(fields[0]), fields[1], fields[2], fields.length < 4 ? "" : fields[3]);
    }

    static String line(FlowColumn column) {
      String type = column.type().name().toLowerCase(Locale.ROOT);
      return String.join(" ", start(column) + column.sqlName(), type, column.unit()).strip();
    }

    static String start(FlowColumn column) {
      return COLUMN + column.id() + " ";
    }

    Optional<FlowColumn> find() {
      return Arrays.stream(ColumnType.values())
          .filter(known -> known.name().equalsIgnoreCase(type))
          .findFirst()
          .flatMap(known -> FlowColumn.found(id, name, known, unit));
    }
  }

  private List<Column> columns(List<String> lines) throws IOException {
    List<Column> columns = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith(COLUMN)) {
        try {
          columns.add(Column.parse(line));
        } catch (IllegalArgumentException e) {
          throw new IOException(
              store.describe(FILE) + ": '" + line + "', expected 'column: ID NAME TYPE [UNIT]'", e);
        }
      }
    }
    return columns;
  }

  /** Makes the archive's own columns known to this process, so that queries can name them. */
  void findColumns() throws IOException {
    for (Column column : columns(lines())) {
      if (column.find().isEmpty()) {
        LOG.get()
            .warn(
                "{}: column {} of id {} cannot be read here: another column has its name or id, or"
                    + " this version does not know its type; its values are NULL",
                store.describe(FILE),
                column.name(),
                column.id());
      }
    }
  }

  /** Writes down the columns that this process has defined, with its names; other lines stay. */
  void keepColumns(List<FlowColumn> defined) throws IOException {
    change(before -> withColumns(before, defined));
  }

  private Set<String> withColumns(List<String> before, List<FlowColumn> defined)
      throws IOException {
    List<Column> columns = columns(before);
    Set<String> lines = new LinkedHashSet<>();
    for (String line : before) {
      lines.add(line.startsWith(SEGMENTS) ? SEGMENTS + segments(line, columns) : line);
    }
    for (FlowColumn column : defined) {
      for (Column there : columns) {
        if (there.id() == column.id()
            && !(there.type().equalsIgnoreCase(column.type().name())
                && FlowColumn.scale(column.type(), there.unit()) == column.scale())) {
          throw new IOException(
              String.format(
                  "%s: column %s of id %d is %s there, and %s (%s) in this process; give it an id"
                      + " never used before",
                  store.describe(FILE),
                  there.name(),
                  there.id(),
                  there.type(),
                  column.sqlName(),
                  column.type()));
        }
      }
      lines.removeIf(line -> line.startsWith(Column.start(column)));
      lines.add(Column.line(column));
    }
    return lines;
  }

  /** Replaces the options; other lines stay. */
  void setSegments(SegmentOptions options) throws IOException {
    change(
        before -> {
          Set<String> lines = new LinkedHashSet<>(before);
          lines.removeIf(line -> line.startsWith(SEGMENTS));
          lines.add(SEGMENTS + options);
          return lines;
        });
  }

  /** The lines of a file, in order, after a change of it. */
  private interface Change {
    Set<String> of(List<String> before) throws IOException;
  }

  /**
   * The processes of a host change the file one after the other, so that each keeps the others'
   * lines. Of two hosts that share a store the last one wins.
   */
  private void change(Change change) throws IOException {
    List<String> seen = lines();
    if (change.of(seen).equals(Set.copyOf(seen))) {
      return;
    }
    try (SettingsLock lock = SettingsLock.take(store.hostFolder())) {
      Set<String> lines = change.of(lines());
      byte[] bytes = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
      if (bytes.length > MAX_BYTES) {
        throw new IOException(store.describe(FILE) + ": more than " + MAX_BYTES + " bytes");
      }
      store.replace(FILE, bytes);
    }
  }
}
