package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The high level of one live query within one key group: merges partial groups pane by pane and
 * gives each window's part when it has a result, and again when that is revised. Of a query with
 * COUNT(DISTINCT …) it keeps the groups of its {@link LiveGroupings}, and counts them when a window
 * has a result: what two panes of a window have is counted once. Not thread-safe.
 */
public final class WindowTables {
  /** A pane's groups by the tick from which on they count; its start once that has come. */
  private record PaneKey(long start, long fromWindowEnd, long due) {
    boolean counts() {
      return due == start;
    }

    PaneKey counted() {
      return new PaneKey(start, fromWindowEnd, start);
    }
  }

  private static final Comparator<PaneKey> BY_TIME =
      Comparator.comparingLong(PaneKey::start)
          .thenComparingLong(PaneKey::fromWindowEnd)
          .thenComparingLong(PaneKey::due);

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
            && from <= window.lastWindowEnd(start)
            && (!window.revised() || isDue(groups));
    if (!known) {
      throw new PartialFormatException(
          "partial groups of pane "
              + start
              + " from window end "
              + from
              + ", due "
              + groups.due()
              + ", which is none of "
              + window);
    }
    if (window.isClosed(window.lastWindowEnd(start), watermark)) {
      return false;
    }
    long due = groups.due() == start ? start : window.due(from, groups.due(), watermark);
    GroupTable table = table(new PaneKey(start, from, due), groups.grouping());
    if (merges[groups.grouping()] == null) {
      merges[groups.grouping()] = new PartialMerge(table.layout());
    }
    table.merge(groups, merges[groups.grouping()]);
    return true;
  }

  private boolean isDue(PartialGroups groups) {
    return groups.due() == groups.paneStart()
        || (groups.due() >= groups.fromWindowEnd()
            && groups.due() == window.paneStart(groups.due()));
  }

  private GroupTable table(PaneKey pane, int grouping) {
    GroupTable[] ofPane =
        tables.computeIfAbsent(pane, key -> new GroupTable[groupings.groupings().size()]);
    if (ofPane[grouping] == null) {
      ofPane[grouping] = new GroupTable(groupings.groupings().get(grouping));
    }
    return ofPane[grouping];
  }

  /** Up to which watermark the parts of windows were given. */
  public long watermark() {
    return watermark;
  }

  /**
   * Gives the part of each window that has a new result at the watermark, earliest first, and
   * forgets panes that no window needs any more. A part is all there is of its window here, {@link
   * WindowSpec#completeThrough} the watermark; it takes the place of an earlier one. Windows
   * without groups give none, nor does one to which nothing was added since its last part.
   */
  public void closeUpTo(long watermarkMicros, Consumer<WindowPart> parts) {
    if (watermarkMicros <= watermark) {
      return;
    }
    if (window.hasResultsBetween(watermark, watermarkMicros)) {
      TreeSet<Long> ends = new TreeSet<>();
      for (PaneKey pane : tables.keySet()) {
        addNewResults(pane, watermarkMicros, ends);
      }
      for (long end : ends) {
        parts.accept(WindowPart.of(queryId, end, live, groupsOf(end, watermarkMicros)));
      }
    }
    watermark = watermarkMicros;
    tables.keySet().removeIf(pane -> window.isClosed(window.lastWindowEnd(pane.start), watermark));
    count();
  }

  /** Adds the ends of windows in whose results the pane's groups count and did not before. */
  private void addNewResults(PaneKey pane, long watermarkMicros, Set<Long> ends) {
    for (long end = pane.fromWindowEnd;
        end <= window.lastWindowEnd(pane.start);
        end += window.slideMicros()) {
      boolean isNew = !pane.counts() || window.firstResultAt(end) > watermark;
      if (isNew
          && window.firstResultAt(end) <= watermarkMicros
          && !window.isClosed(end, watermark)
          && countsIn(pane, end, watermarkMicros)) {
        ends.add(end);
      }
    }
  }

  private boolean countsIn(PaneKey pane, long end, long watermarkMicros) {
    return pane.fromWindowEnd <= end
        && end <= window.lastWindowEnd(pane.start)
        && (pane.due <= window.completeThrough(end, watermarkMicros)
            || window.isClosed(end, watermarkMicros));
  }

  /** Puts groups whose tick has come to those of their pane that count already. */
  private void count() {
    if (!window.revised()) {
      return;
    }
    for (PaneKey pane : List.copyOf(tables.keySet())) {
      if (!pane.counts() && pane.due <= watermark) {
        GroupTable[] added = tables.remove(pane);
        GroupTable[] there = tables.putIfAbsent(pane.counted(), added);
        for (int g = 0; there != null && g < added.length; g++) {
          if (there[g] == null) {
            there[g] = added[g];
          } else if (added[g] != null) {
            there[g].merge(added[g]);
          }
        }
      }
    }
  }

  /** The query's groups in the result that the window which ends there has at a watermark. */
  private GroupTable groupsOf(long end, long watermarkMicros) {
    List<GroupTable> groups = new ArrayList<>();
    for (int grouping = 0; grouping < groupings.groupings().size(); grouping++) {
      groups.add(groupsOf(end, watermarkMicros, grouping));
    }
    return groupings.count(groups);
  }

  /** The groups of a grouping in that window; a pane's own table where only one has any. */
  private GroupTable groupsOf(long end, long watermarkMicros, int grouping) {
    List<GroupTable> members = new ArrayList<>();
    tables.forEach(
        (pane, ofPane) -> {
          if (ofPane[grouping] != null && countsIn(pane, end, watermarkMicros)) {
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
              blocks.addAll(
                  ofPane[g].toPartials(queryId, g, 0, pane.start, pane.fromWindowEnd, pane.due));
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
    restored.watermark = state.time();
    state.blocks().forEach(block -> restored.merge(PartialGroups.open(block)));
    return restored;
  }
}
