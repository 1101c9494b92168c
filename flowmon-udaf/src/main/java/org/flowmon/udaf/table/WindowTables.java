package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The high level of one live query within one key group: merges partial groups pane by pane and
 * gives each window's part when the watermark closes it. Not thread-safe.
 */
public final class WindowTables {
  private record PaneKey(long start, long fromWindowEnd) {}

  private static final Comparator<PaneKey> BY_TIME =
      Comparator.comparingLong(PaneKey::start).thenComparingLong(PaneKey::fromWindowEnd);

  private final long queryId;
  private final FlowQuery live;
  private final WindowSpec window;
  private final GroupLayout layout;
  private final Map<PaneKey, GroupTable> tables = new TreeMap<>(BY_TIME);
  private long watermark = Long.MIN_VALUE;

  public WindowTables(long queryId, FlowQuery live, WindowSpec window) {
    this.queryId = queryId;
    this.live = live;
    this.window = window;
    this.layout = GroupLayout.of(live);
  }

  /**
   * Merges the groups of one pane.
   *
   * @return false where their windows are all closed already, so that they were not counted
   * @throws PartialFormatException where they are of another query or its groups are made otherwise
   */
  public boolean merge(PartialGroups groups) {
    if (groups.queryId() != queryId) {
      throw new PartialFormatException(
          "partial groups of query " + groups.queryId() + ", expected those of " + queryId);
    }
    long start = groups.paneStart();
    long from = groups.fromWindowEnd();
    boolean known =
        start == window.paneStart(start)
            && from == window.paneStart(from)
            && from >= window.firstWindowEnd(start)
            && from <= window.lastWindowEnd(start);
    if (!known) {
      throw new PartialFormatException(
          "partial groups of pane "
              + start
              + " from window end "
              + from
              + ", which is none of "
              + window);
    }
    if (window.isClosed(window.lastWindowEnd(start), watermark)) {
      return false;
    }
    tables.computeIfAbsent(new PaneKey(start, from), key -> new GroupTable(layout)).merge(groups);
    return true;
  }

  /**
   * Gives the part of each window that the watermark closes, earliest first, and forgets panes that
   * no open window needs. Windows without groups give none.
   */
  public void closeUpTo(long watermarkMicros, Consumer<WindowPart> parts) {
    if (watermarkMicros <= watermark) {
      return;
    }
    TreeSet<Long> ends = new TreeSet<>();
    for (PaneKey pane : tables.keySet()) {
      for (long end = pane.fromWindowEnd;
          end <= window.lastWindowEnd(pane.start);
          end += window.slideMicros()) {
        if (window.isClosed(end, watermarkMicros) && !window.isClosed(end, watermark)) {
          ends.add(end);
        }
      }
    }
    for (long end : ends) {
      parts.accept(WindowPart.of(queryId, end, live, groupsOf(end)));
    }
    watermark = watermarkMicros;
    tables.keySet().removeIf(pane -> window.isClosed(window.lastWindowEnd(pane.start), watermark));
  }

  /** The groups of the window that ends there; its own table where it has only one. */
  private GroupTable groupsOf(long end) {
    List<GroupTable> members = new ArrayList<>();
    tables.forEach(
        (pane, table) -> {
          if (pane.fromWindowEnd <= end && end <= window.lastWindowEnd(pane.start)) {
            members.add(table);
          }
        });
    if (members.size() == 1) {
      return members.get(0);
    }
    GroupTable merged = new GroupTable(layout);
    members.forEach(merged::merge);
    return merged;
  }

  /** Whether it holds no groups. */
  public boolean isEmpty() {
    return tables.isEmpty();
  }

  /** Groups over all panes. */
  public long groups() {
    return tables.values().stream().mapToLong(GroupTable::size).sum();
  }

  /** Bytes of all groups on the heap, roughly. */
  public long heapBytes() {
    return tables.values().stream().mapToLong(GroupTable::heapBytes).sum();
  }

  /**
   * The state as versioned bytes.
   *
   * @throws IllegalStateException where it is larger than 2 GiB
   */
  public byte[] toBytes() {
    List<byte[]> blocks = new ArrayList<>();
    tables.forEach(
        (pane, table) ->
            blocks.addAll(table.toPartials(queryId, 0, pane.start, pane.fromWindowEnd)));
    return StateBytes.tables(queryId, layout.fingerprint(), watermark, blocks);
  }

  /**
   * Restores a state.
   *
   * @throws PartialFormatException where the bytes are damaged or of another query
   */
  public static WindowTables fromBytes(
      byte[] bytes, long queryId, FlowQuery live, WindowSpec window) {
    WindowTables restored = new WindowTables(queryId, live, window);
    StateBytes state = StateBytes.openTables(bytes, queryId, restored.layout.fingerprint());
    state.blocks().forEach(block -> restored.merge(PartialGroups.open(block)));
    restored.watermark = state.time();
    return restored;
  }
}
