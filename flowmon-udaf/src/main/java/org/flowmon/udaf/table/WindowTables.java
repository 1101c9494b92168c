package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The high level of one live query within one key group: merges partial groups pane by pane and
 * gives each window's part when the watermark closes it. Of a query with COUNT(DISTINCT …) it keeps
 * the groups of its {@link LiveGroupings}, and counts them when a window closes: what two panes of
 * a window have is counted once. Not thread-safe.
 */
public final class WindowTables {
  private record PaneKey(long start, long fromWindowEnd) {}

  private static final Comparator<PaneKey> BY_TIME =
      Comparator.comparingLong(PaneKey::start).thenComparingLong(PaneKey::fromWindowEnd);

  private final long queryId;
  private final FlowQuery live;
  private final WindowSpec window;
  private final LiveGroupings groupings;
  private final PartialMerge[] merges; // by grouping, shared by the panes' tables
  // By grouping; null where a pane has no groups of it.
  private final Map<PaneKey, GroupTable[]> tables = new TreeMap<>(BY_TIME);
  private long watermark = Long.MIN_VALUE;

  public WindowTables(long queryId, FlowQuery live, WindowSpec window) {
    this.queryId = queryId;
    this.live = live;
    this.window = window;
    this.groupings = LiveGroupings.of(live);
    this.merges = new PartialMerge[groupings.groupings().size()];
  }

  /**
   * Merges the groups of one grouping and pane.
   *
   * @return false where their windows are all closed already, so that they were not counted
   * @throws PartialFormatException where they are of another query or its groups are made otherwise
   */
  public boolean merge(PartialGroups groups) {
    if (groups.queryId() != queryId) {
      throw new PartialFormatException(
          "partial groups of query " + groups.queryId() + ", expected those of " + queryId);
    }
    if (groups.grouping() >= groupings.groupings().size()) {
      throw new PartialFormatException(
          "partial groups of grouping "
              + groups.grouping()
              + ", the query has "
              + groupings.groupings().size());
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
    GroupTable table = table(new PaneKey(start, from), groups.grouping());
    if (merges[groups.grouping()] == null) {
      merges[groups.grouping()] = new PartialMerge(table.layout());
    }
    table.merge(groups, merges[groups.grouping()]);
    return true;
  }

  private GroupTable table(PaneKey pane, int grouping) {
    GroupTable[] ofPane =
        tables.computeIfAbsent(pane, key -> new GroupTable[groupings.groupings().size()]);
    if (ofPane[grouping] == null) {
      ofPane[grouping] = new GroupTable(groupings.groupings().get(grouping));
    }
    return ofPane[grouping];
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

  /** The query's groups in the window that ends there. */
  private GroupTable groupsOf(long end) {
    List<GroupTable> groups = new ArrayList<>();
    for (int grouping = 0; grouping < groupings.groupings().size(); grouping++) {
      groups.add(groupsOf(end, grouping));
    }
    return groupings.count(groups);
  }

  /** The groups of a grouping in that window; a pane's own table where only one has any. */
  private GroupTable groupsOf(long end, int grouping) {
    List<GroupTable> members = new ArrayList<>();
    tables.forEach(
        (pane, ofPane) -> {
          boolean isIn = pane.fromWindowEnd <= end && end <= window.lastWindowEnd(pane.start);
          if (isIn && ofPane[grouping] != null) {
            members.add(ofPane[grouping]);
          }
        });
    if (members.size() == 1) {
      return members.get(0);
    }
    GroupTable merged = new GroupTable(groupings.groupings().get(grouping));
    members.forEach(merged::merge);
    return merged;
  }

  /** Whether it holds no groups. */
  public boolean isEmpty() {
    return tables.isEmpty();
  }

  /** Groups over all panes and groupings. */
  public long groups() {
    return all().mapToLong(GroupTable::size).sum();
  }

  private Stream<GroupTable> all() {
    return tables.values().stream().flatMap(Arrays::stream).filter(Objects::nonNull);
  }

  /** Bytes of all groups on the heap, roughly. */
  public long heapBytes() {
    return all().mapToLong(GroupTable::heapBytes).sum();
  }

  /**
   * The state as versioned bytes.
   *
   * @throws IllegalStateException where it is larger than 2 GiB
   */
  public byte[] toBytes() {
    List<byte[]> blocks = new ArrayList<>();
    tables.forEach(
        (pane, ofPane) -> {
          for (int g = 0; g < ofPane.length; g++) {
            if (ofPane[g] != null) {
              blocks.addAll(ofPane[g].toPartials(queryId, g, 0, pane.start, pane.fromWindowEnd));
            }
          }
        });
    return StateBytes.tables(queryId, fingerprint(), watermark, blocks);
  }

  private long fingerprint() {
    return groupings.layout().fingerprint();
  }

  /**
   * Restores a state.
   *
   * @throws PartialFormatException where the bytes are damaged or of another query
   */
  public static WindowTables fromBytes(
      byte[] bytes, long queryId, FlowQuery live, WindowSpec window) {
    WindowTables restored = new WindowTables(queryId, live, window);
    StateBytes state = StateBytes.openTables(bytes, queryId, restored.fingerprint());
    state.blocks().forEach(block -> restored.merge(PartialGroups.open(block)));
    restored.watermark = state.time();
    return restored;
  }
}
