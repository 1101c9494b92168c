package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.flowmon.udaf.group.GroupHolding;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.pane.PaneKey;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.partial.SampleWords;
import org.flowmon.udaf.partial.StateBytes;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;
import org.jspecify.annotations.Nullable;

/**
 * The high level of one live query within one key group: merges partial groups pane by pane, and
 * returns each window's part when it has a result, and again when that is revised. With
 * COUNT(DISTINCT …) it keeps the groups of the {@link LiveGroupings}, and counts them when a window
 * has a result: a group in two panes counts once. If there are more groups than the {@link
 * GroupBudget} has room for, a sample is kept, and all count in the totals. Not thread-safe.
 */
public final class WindowTables {
  private final long queryId;
  private final FlowQuery live;
  private final WindowSpec window;
  private final LiveGroupings groupings;
  private final PartialMerge[] merges; // by grouping, shared by the panes' tables
  // By grouping; null if a pane has no groups of it.
  private final NavigableMap<PaneKey, GroupTable[]> tables = new TreeMap<>(PaneKey.BY_TIME);
  private final PartialMerge.Scratch scratch;
  private final GroupBudget budget;
  private final WindowAdvances advances;
  private long watermark = Long.MIN_VALUE;

  public WindowTables(long queryId, FlowQuery live, WindowSpec window) {
    this(queryId, live, window, GroupBudget.unlimited(window), new WindowAdvances());
  }

  /** Tables whose budget and advances all key groups in a task share. */
  public WindowTables(
      long queryId,
      FlowQuery live,
      WindowSpec window,
      GroupBudget budget,
      WindowAdvances advances) {
    this(queryId, live, window, budget, advances, new PartialMerge.Scratch());
  }

  /** Tables that also share the scratch, with those of other queries, too. */
  public WindowTables(
      long queryId,
      FlowQuery live,
      WindowSpec window,
      GroupBudget budget,
      WindowAdvances advances,
      PartialMerge.Scratch scratch) {
    this.scratch = scratch;
    this.queryId = queryId;
    this.live = live;
    this.window = window;
    this.groupings = LiveGroupings.of(live);
    this.merges = new PartialMerge[groupings.groupings().size()];
    this.budget = budget;
    this.advances = advances;
    budget.join(this);
  }

  /**
   * Merges the groups of one grouping and pane; returns false, uncounted, if their windows are all
   * closed.
   *
   * @throws PartialFormatException if they are of another query or layout
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
        isPane(start, from) && (!window.revised() || isDue(new PaneKey(start, from, groups.due())));
    if (!known) {
      throw new PartialFormatException(
          "partial groups of pane "
              + start
              + " from window end "
              + from
              + ", due "
              + groups.due()
              + ", which is not a pane of "
              + window);
    }
    if (window.isClosed(window.lastWindowEnd(start), watermark)) {
      return false;
    }
    long due = due(start, from, groups.due());
    PaneKey pane = new PaneKey(start, from, due);
    GroupTable table = table(pane, groups.grouping());
    if (merges[groups.grouping()] == null) {
      merges[groups.grouping()] = new PartialMerge(table.layout(), scratch);
    }
    GroupHolding before = table.holding();
    long droppedBefore = table.sample().dropped();
    merges[groups.grouping()].into(table, groups);
    budget.dropped(table.sample().dropped() - droppedBefore);
    budget.added(pane, table.holding().minus(before));
    return true;
  }

  /**
   * If results come once, no group is in an earlier one: groups that a state made with revisions
   * has reported are reported again, also if revisions are enabled again later.
   */
  private long due(long start, long fromWindowEnd, long due) {
    return due == start && window.revised() ? start : window.due(fromWindowEnd, due, watermark);
  }

  private boolean isPane(long start, long fromWindowEnd) {
    return start == window.paneStart(start)
        && fromWindowEnd == window.paneStart(fromWindowEnd)
        && fromWindowEnd >= window.firstWindowEnd(start)
        && fromWindowEnd <= window.lastWindowEnd(start);
  }

  private boolean isDue(PaneKey pane) {
    return pane.counts()
        || (pane.due() >= pane.fromWindowEnd() && pane.due() == window.paneStart(pane.due()));
  }

  private GroupTable table(PaneKey pane, int grouping) {
    GroupTable[] ofPane = tables.get(pane);
    if (ofPane == null) {
      ofPane = new GroupTable[groupings.groupings().size()];
      int level = budget.enter(pane);
      for (int g = 0; level > 0 && g < ofPane.length; g++) {
        ofPane[g] = newTable(g, level); // it has the level of the pane
      }
      tables.put(pane, ofPane);
    }
    if (ofPane[grouping] == null) {
      ofPane[grouping] = newTable(grouping, 0);
    }
    return ofPane[grouping];
  }

  private GroupTable newTable(int grouping, int level) {
    return new GroupTable(groupings.groupings().get(grouping), groupings.leadingKeys(), level);
  }

  /** Drops the groups of a pane that a level does not keep; returns the remaining ones. */
  GroupHolding raise(PaneKey pane, int level) {
    GroupTable[] ofPane = tables.get(pane);
    if (ofPane == null) {
      return GroupHolding.NONE;
    }
    advances.leftOut(this, pane.fromWindowEnd());
    GroupHolding left = GroupHolding.NONE;
    for (int g = 0; g < ofPane.length; g++) {
      if (ofPane[g] == null) {
        ofPane[g] = newTable(g, level);
      } else {
        ofPane[g] = atLevel(ofPane[g], level);
      }
      left = left.plus(ofPane[g].holding());
    }
    return left;
  }

  private GroupTable atLevel(GroupTable table, int level) {
    GroupTable left = table.atLevel(level);
    budget.dropped(left.sample().dropped() - table.sample().dropped());
    return left;
  }

  /** The watermark up to which the parts of windows were returned. */
  public long watermark() {
    return watermark;
  }

  /**
   * Passes on the part of each window that has a new result at the watermark, earliest first, and
   * drops panes that no window needs any more. A part has all groups of its window here, {@link
   * WindowSpec#completeThrough} the watermark, and replaces an earlier part. Windows without
   * groups, or without changes since their last part, have none. A part must be used, or merged
   * into another, before groups are added again.
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
        parts.accept(part(end, watermarkMicros));
      }
    }
    watermark = watermarkMicros;
    tables
        .entrySet()
        .removeIf(
            pane -> {
              if (!window.isClosed(window.lastWindowEnd(pane.getKey().start()), watermark)) {
                return false;
              }
              budget.close(pane.getKey(), holding(pane.getValue()), watermark);
              return true;
            });
    count();
  }

  /**
   * Passes on, once, the groups of windows whose {@link WindowSpec#advanceAt} a watermark has
   * reached and that have no result yet; none of windows with dropped groups. Only if {@link
   * WindowAdvances#isPossible}. A part must be used before groups are added again.
   */
  public void advance(long watermarkMicros, Consumer<WindowPart> parts) {
    tables.forEach(
        (pane, ofPane) -> {
          GroupTable table = ofPane[0];
          long end = pane.fromWindowEnd();
          if (window.advanceAt(end) <= watermarkMicros
              && window.firstResultAt(end) > watermarkMicros
              && !advances.has(this, end)
              && table != null
              && table.size() > 0
              && table.sample().level() == 0) {
            advances.add(this, end, table);
            parts.accept(WindowPart.of(queryId, end, live, table));
          }
        });
  }

  private static GroupHolding holding(GroupTable[] ofPane) {
    GroupHolding all = GroupHolding.NONE;
    for (GroupTable table : ofPane) {
      all = table == null ? all : all.plus(table.holding());
    }
    return all;
  }

  private void addNewResults(PaneKey pane, long watermarkMicros, Set<Long> ends) {
    for (long end = pane.fromWindowEnd();
        end <= window.lastWindowEnd(pane.start());
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

  /** Panes of the window's time: each of many windows that close at once looks only at its own. */
  private Map<PaneKey, GroupTable[]> panesOf(long windowEnd) {
    return tables.subMap(PaneKey.first(windowEnd - window.widthMicros()), PaneKey.first(windowEnd));
  }

  private boolean countsIn(PaneKey pane, long end, long watermarkMicros) {
    return pane.fromWindowEnd() <= end
        && end <= window.lastWindowEnd(pane.start())
        && (pane.due() <= window.completeThrough(end, watermarkMicros)
            || window.isClosed(end, watermarkMicros));
  }

  /** Moves groups whose tick has come to those of their pane that already count. */
  private void count() {
    if (!window.revised()) {
      return;
    }
    for (PaneKey pane : List.copyOf(tables.keySet())) {
      if (!pane.counts() && pane.due() <= watermark) {
        count(pane, tables.remove(pane));
      }
    }
  }

  private void count(PaneKey pane, GroupTable[] added) {
    PaneKey counted = pane.counted();
    GroupTable[] there = tables.get(counted);
    if (there == null) {
      there = new GroupTable[added.length];
      budget.enter(counted);
      tables.put(counted, there);
    }
    int level = budget.raise(counted, budget.leave(pane, holding(added)));
    GroupHolding before = holding(there);
    for (int g = 0; g < added.length; g++) {
      GroupTable more = added[g] == null ? null : atLevel(added[g], level);
      if (there[g] == null) {
        there[g] = more;
      } else if (more != null) {
        there[g].merge(more);
      }
    }
    budget.added(counted, holding(there).minus(before));
  }

  private WindowPart part(long end, long watermarkMicros) {
    TreeMap<Long, List<GroupTable[]>> byPane = new TreeMap<>();
    int level = 0;
    for (Map.Entry<PaneKey, GroupTable[]> pane : panesOf(end).entrySet()) {
      if (countsIn(pane.getKey(), end, watermarkMicros)) {
        byPane
            .computeIfAbsent(pane.getKey().start(), start -> new ArrayList<>())
            .add(pane.getValue());
        level = Math.max(level, level(pane.getValue()));
      }
    }
    PaneCounts counts = new PaneCounts(level);
    for (Map.Entry<Long, List<GroupTable[]>> pane : byPane.entrySet()) {
      counts.add(pane.getKey(), pane.getValue());
    }
    List<GroupTable> groups = new ArrayList<>();
    for (int g = 0; g < groupings.groupings().size(); g++) {
      groups.add(groupsOf(byPane.values(), g, level));
    }
    // A part that may be revised meets earlier ones, made when there were more groups.
    boolean isSure =
        (!window.revised() || window.isClosed(end, watermarkMicros))
            && budget.isSure(
                end - window.widthMicros(), end, groupings.areUneven(), groupings.haveStates());
    WindowPart part = WindowPart.of(queryId, end, live, groupings.count(groups), counts, isSure);
    return advances.rest(this, part);
  }

  /** The level of a pane: all of its tables have the same. */
  private static int level(GroupTable[] ofPane) {
    for (GroupTable table : ofPane) {
      if (table != null) {
        return table.sample().level();
      }
    }
    return 0;
  }

  /** The groups of a grouping in some panes; a pane's own table if only one has any. */
  private GroupTable groupsOf(Collection<List<GroupTable[]>> panes, int grouping, int level) {
    List<GroupTable> members = new ArrayList<>();
    for (List<GroupTable[]> pane : panes) {
      for (GroupTable[] ofPane : pane) {
        if (ofPane[grouping] != null) {
          members.add(ofPane[grouping]);
        }
      }
    }
    if (members.size() == 1 && members.get(0).sample().level() == level) {
      return members.get(0);
    }
    GroupTable merged = newTable(grouping, level);
    members.forEach(merged::merge);
    return merged;
  }

  public boolean isEmpty() {
    return tables.isEmpty();
  }

  /** Over all panes and groupings. */
  public long groups() {
    return all().mapToLong(GroupTable::size).sum();
  }

  GroupHolding holding() {
    return all().map(GroupTable::holding).reduce(GroupHolding.NONE, GroupHolding::plus);
  }

  /** Bytes of function states in memory. */
  public long stateMemoryBytes() {
    return all().mapToLong(table -> table.states() == null ? 0 : table.states().bytes()).sum();
  }

  private Stream<GroupTable> all() {
    return tables.values().stream().flatMap(Arrays::stream).filter(Objects::nonNull);
  }

  /** A snapshot of the state, for bytes that are made later or elsewhere. */
  public FrozenTables freeze() {
    FrozenTables.Builder frozen = new FrozenTables.Builder(queryId);
    tables.forEach(
        (pane, ofPane) -> {
          for (int g = 0; g < ofPane.length; g++) {
            if (ofPane[g] != null) {
              frozen.add(pane, g, ofPane[g]);
            }
          }
        });
    return frozen.build(fingerprint(), watermark);
  }

  /**
   * The state, versioned.
   *
   * @throws IllegalStateException if it is larger than 2 GiB
   */
  public byte[] toBytes() {
    return freeze().toBytes();
  }

  private long fingerprint() {
    return groupings.layout().fingerprint();
  }

  /** Restores a state without a limit on groups. */
  public static WindowTables fromBytes(
      byte[] bytes, long queryId, FlowQuery live, WindowSpec window) {
    return fromBytes(
        bytes, queryId, live, window, GroupBudget.unlimited(window), new WindowAdvances());
  }

  /** Restores a state whose budget and advances all key groups in a task share. */
  public static WindowTables fromBytes(
      byte[] bytes,
      long queryId,
      FlowQuery live,
      WindowSpec window,
      GroupBudget budget,
      WindowAdvances advances) {
    var scratch = new PartialMerge.Scratch();
    return fromBytes(bytes, queryId, live, window, budget, advances, scratch);
  }

  /**
   * Restores a state that shares the scratch, too.
   *
   * @throws PartialFormatException if the bytes are damaged or of another query
   */
  public static WindowTables fromBytes(
      byte[] bytes,
      long queryId,
      FlowQuery live,
      WindowSpec window,
      GroupBudget budget,
      WindowAdvances advances,
      PartialMerge.Scratch scratch) {
    WindowTables restored = new WindowTables(queryId, live, window, budget, advances, scratch);
    StateBytes state = StateBytes.openTables(bytes, queryId, restored.fingerprint());
    restored.watermark = state.time();
    SampleWords.read(state.words(), restored.groupings.groupings(), restored::restore);
    state.blocks().forEach(block -> restored.merge(PartialGroups.open(block)));
    return restored;
  }

  private void restore(PaneKey pane, int grouping, int level, long @Nullable [] rest) {
    if (!isPane(pane.start(), pane.fromWindowEnd()) || (window.revised() && !isDue(pane))) {
      throw new PartialFormatException(pane + " is not a pane of " + window);
    }
    if (window.isClosed(window.lastWindowEnd(pane.start()), watermark)) {
      return;
    }
    long due = due(pane.start(), pane.fromWindowEnd(), pane.due());
    PaneKey key = new PaneKey(pane.start(), pane.fromWindowEnd(), due);
    var unused = table(key, grouping);
    budget.raise(key, level);
    if (rest != null) {
      table(key, grouping).sample().takeRest(rest, 0);
    }
  }
}
