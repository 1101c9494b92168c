package org.flowmon.archive.index;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/**
 * The rollups of a sidecar, each opened at its first use, so that a damaged one affects only
 * itself. Filled by one thread, then safe to share.
 */
final class RollupBlobs {
  /** One blob. */
  private static final class Entry {
    final PuffinFooter.Blob blob;
    volatile @Nullable Rollup rollup; // null until opened

    Entry(PuffinFooter.Blob blob) {
      this.blob = blob;
    }
  }

  private final Map<FlowColumn, Entry> totals = new TreeMap<>();
  private final Map<FlowColumn, Entry> hours = new TreeMap<>();

  void add(PuffinFooter.Blob blob) {
    FlowColumn column = FlowColumn.byId(blob.columnId());
    if (column != null && RollupFormat.DIMENSIONS.contains(column)) {
      of(blob.type()).put(column, new Entry(blob));
    }
  }

  private Map<FlowColumn, Entry> of(String type) {
    boolean areTotals = type.equals(RollupFormat.TOTALS) || type.equals(RollupFormat.TOTALS_2);
    return areTotals ? totals : hours;
  }

  /** Bytes by type. */
  Map<String, Long> bytes() {
    Map<String, Long> bytes = new TreeMap<>();
    for (Map<FlowColumn, Entry> entries : List.of(totals, hours)) {
      for (Entry entry : entries.values()) {
        bytes.merge(entry.blob.type(), (long) entry.blob.length(), Long::sum);
      }
    }
    return bytes;
  }

  /** The checked rollup, null if there is none. */
  @Nullable Rollup open(
      String type,
      FlowColumn column,
      MappedRegion file,
      boolean verifyChecksums,
      int dictionarySize,
      int rows) {
    Entry entry = of(type).get(column);
    if (entry == null) {
      return null;
    }
    Rollup rollup = entry.rollup;
    if (rollup == null) {
      rollup =
          new Rollup(
              file,
              entry.blob.type() + " of " + column.sqlName(),
              entry.blob.offset(),
              entry.blob.length(),
              entry.blob.crc32c(),
              verifyChecksums,
              dictionarySize,
              rows);
      entry.rollup = rollup; // two threads may both have opened it: equal, so no harm
    }
    rollup.check();
    return rollup;
  }
}
