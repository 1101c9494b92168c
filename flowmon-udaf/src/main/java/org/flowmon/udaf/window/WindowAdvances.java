package org.flowmon.udaf.window;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.flowmon.udaf.group.GroupChanges;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;

/**
 * The groups of one query that a task has sent in advance of their windows' results, if these keep
 * all groups. When the window closes, only the rest follows, new and changed groups: most of the
 * work is done before the result is due. {@link AdvancedGroups} puts both together.
 *
 * <pre>
 *   {@link WindowTables#advance} ─ {@link #add} ─► groups 0, 1, 2, … of the window, in messages counted by {@link #sent}
 *   {@link WindowTables#closeUpTo} ─ {@link #rest} ─► the rest, and the numbers of groups that it replaces
 * </pre>
 *
 * <p>Shared by the tables of all key groups in the task. It is no state: a restored task begins
 * anew, and its groups of a window replace all that was sent before. Not thread-safe.
 */
public final class WindowAdvances {
  private final TreeMap<Long, Window> byEnd = new TreeMap<>();

  /** Sent groups of one window. */
  private static final class Window {
    private final Map<WindowTables, Sent> byTables = new HashMap<>();
    private int groups;
    private int messages;
  }

  /**
   * Groups of one key group, from number {@code first} on: the table's first, and it notes their
   * changes; empty if groups of it were dropped since.
   */
  private record Sent(Optional<GroupTable> table, int first, int groups) {}

  /** Whether the query keeps all groups, and these may go ahead and be appended to a table. */
  public static boolean isPossible(FlowQuery live, WindowSpec window) {
    LiveGroupings groupings = LiveGroupings.of(live);
    return live.keepsAllGroups()
        && groupings.mayGoAhead(window)
        && new GroupTable(groupings.layout()).canBeAppended();
  }

  private Optional<Sent> find(WindowTables tables, long windowEnd) {
    return Optional.ofNullable(byEnd.get(windowEnd)).map(window -> window.byTables.get(tables));
  }

  boolean has(WindowTables tables, long windowEnd) {
    return find(tables, windowEnd).isPresent();
  }

  /** Registers that all groups of a table are sent after those sent before. */
  void add(WindowTables tables, long windowEnd, GroupTable table) {
    table.watch();
    Window window = byEnd.computeIfAbsent(windowEnd, end -> new Window());
    int first = window.groups;
    window.groups = Math.addExact(first, table.size());
    window.byTables.put(tables, new Sent(Optional.of(table), first, table.size()));
  }

  /** Registers that groups of the window were dropped, so that its table is another. */
  void leftOut(WindowTables tables, long windowEnd) {
    if (byEnd.containsKey(windowEnd)) {
      window(windowEnd)
          .byTables
          .computeIfPresent(
              tables, (of, sent) -> new Sent(Optional.empty(), sent.first, sent.groups));
    }
  }

  private Window window(long end) {
    return Objects.requireNonNull(byEnd.get(end), "no groups of the window were sent ahead");
  }

  /** The part of a window's result in these tables, without sent groups that still count. */
  WindowPart rest(WindowTables tables, WindowPart part) {
    return Optional.ofNullable(byEnd.get(part.windowEnd()))
        .map(window -> window.byTables.remove(tables)) // its table is garbage once it has closed
        .map(sent -> rest(sent, part))
        .orElse(part);
  }

  private static WindowPart rest(Sent sent, WindowPart part) {
    if (sent.table.filter(part::isOf).isEmpty()) {
      return part.rest(
          IntStream.range(0, part.size()), IntStream.range(0, sent.groups), sent.first);
    }
    GroupChanges changes = sent.table.get().changes();
    IntStream added = IntStream.range(sent.groups, part.size());
    return part.rest(
        IntStream.concat(IntStream.of(changes.numbers()), added),
        IntStream.of(changes.numbers()),
        sent.first);
  }

  /** Counts a message with groups that {@link WindowTables#advance} gave for the window. */
  public void sent(long windowEnd) {
    window(windowEnd).messages++;
  }

  /** If there are any, the window's parts are rests. */
  public int messages(long windowEnd) {
    return byEnd.containsKey(windowEnd) ? window(windowEnd).messages : 0;
  }

  /** Forgets the windows that are closed at a watermark. */
  public void forget(WindowSpec window, long watermarkMicros) {
    while (!byEnd.isEmpty() && window.isClosed(byEnd.firstKey(), watermarkMicros)) {
      byEnd.pollFirstEntry();
    }
  }
}
