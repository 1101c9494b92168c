package org.flowmon.udaf.window;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.flowmon.udaf.group.GroupTable;

/** Which groups of windows went in advance of their results, and what became of them since. */
final class WindowAdvances {
  private final Map<Long, Advance> byWindow = new HashMap<>();

  /**
   * Groups that went.
   *
   * @param table they are its first ones, and it notes which of them change; null where groups of
   *     it were left out since
   * @param first place of the first of them, as who took them has it
   * @param groups how many
   */
  private record Advance(GroupTable table, int first, int groups) {
    Advance withoutTable() {
      return new Advance(null, first, groups);
    }
  }

  /** Whether groups of the window that ends there went. */
  boolean has(long windowEnd) {
    return byWindow.containsKey(windowEnd);
  }

  /** Notes that all groups of a table went. */
  void add(long windowEnd, GroupTable table, int first) {
    table.watch();
    byWindow.put(windowEnd, new Advance(table, first, table.size()));
  }

  /** Notes that groups of the window are left out, so that its table is another. */
  void leftOut(long windowEnd) {
    byWindow.computeIfPresent(windowEnd, (end, advance) -> advance.withoutTable());
  }

  void forget(long windowEnd) {
    byWindow.remove(windowEnd);
  }

  /**
   * How many groups of those that went have changed: more than there can be where nobody knows, as
   * the window has groups besides that one table.
   *
   * @param tables all of the window's
   */
  long changed(long windowEnd, Stream<GroupTable> tables) {
    Advance advance = byWindow.get(windowEnd);
    if (advance == null) {
      return 0;
    }
    return tables.allMatch(table -> table == advance.table)
        ? advance.table.changes().count()
        : Integer.MAX_VALUE;
  }

  /** The part of a window's result; the rest where groups of it went. */
  WindowPart rest(long windowEnd, WindowPart part) {
    Advance advance = byWindow.get(windowEnd);
    if (advance == null) {
      return part;
    }
    boolean isSame = part.isOf(advance.table);
    return part.rest(advance.first, advance.groups, isSame ? advance.table : null);
  }
}
