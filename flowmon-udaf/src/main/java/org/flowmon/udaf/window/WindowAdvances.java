package org.flowmon.udaf.window;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.flowmon.udaf.group.GroupTable;

/** The groups of windows sent in advance of their results, and their changes since. */
final class WindowAdvances {
  private final Map<Long, Advance> byWindow = new HashMap<>();

  /**
   * Groups sent in advance.
   *
   * @param table its first groups are the sent ones, and it notes their changes; null if groups of
   *     it were dropped since
   * @param first number of the first group at the receiver
   * @param groups the number of groups
   */
  private record Advance(GroupTable table, int first, int groups) {
    Advance withoutTable() {
      return new Advance(null, first, groups);
    }
  }

  /** Whether groups of the window with this end were sent. */
  boolean has(long windowEnd) {
    return byWindow.containsKey(windowEnd);
  }

  /** Registers that all groups of a table were sent. */
  void add(long windowEnd, GroupTable table, int first) {
    table.watch();
    byWindow.put(windowEnd, new Advance(table, first, table.size()));
  }

  /** Registers that groups of the window were dropped, so that its table is another. */
  void leftOut(long windowEnd) {
    byWindow.computeIfPresent(windowEnd, (end, advance) -> advance.withoutTable());
  }

  void forget(long windowEnd) {
    byWindow.remove(windowEnd);
  }

  /**
   * The number of sent groups that have changed. If it is unknown, because the window has groups
   * outside that table, it is more than any possible number.
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

  /** The part of a window's result; the rest if groups of it were sent. */
  WindowPart rest(long windowEnd, WindowPart part) {
    Advance advance = byWindow.get(windowEnd);
    if (advance == null) {
      return part;
    }
    boolean isSame = part.isOf(advance.table);
    return part.rest(advance.first, advance.groups, isSame ? advance.table : null);
  }
}
