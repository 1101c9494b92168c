package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.group.GroupSample;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.group.OrderBound;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.partial.StateBytes;
import org.flowmon.udaf.partial.TablePartials;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.result.GroupRows;
import org.flowmon.udaf.result.LiveGroupings;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * The part of a window's result from some key groups: the rows that HAVING keeps and that may be
 * within ORDER BY … LIMIT, the number of all groups, and totals over all of them. Parts of
 * different key groups, which have all of each of their groups, merge in any order into the exact
 * result. With more groups than the {@link GroupBudget} has room for, the rows are of a sample, and
 * the totals of all. Not thread-safe.
 */
public final class WindowPart {
  private final long queryId;
  private final long windowEnd;
  private final FlowQuery live;
  private final long[] totals;
  private final long[] groupsByLevel;
  private final PaneCounts counts;
  private boolean isSure;
  // An upper bound, in the order, of the rows still wanted; null if the order has no such bound.
  private final @Nullable OrderBound bound;
  private GroupTable rows;
  // Whether the rows belong to the source table and must not be changed.
  private boolean isShared;
  // The number of rows at which it drops unwanted ones.
  private int most;
  // Numbers, among the groups sent in advance, of those that no longer count.
  private List<int[]> superseded = List.of();
  // The rows that count, in the query's order; null: all, in no order.
  private int @Nullable [] order;

  private WindowPart(
      long queryId,
      long windowEnd,
      FlowQuery live,
      GroupTable rows,
      long[] groupsByLevel,
      long[] totals,
      PaneCounts counts,
      boolean isSure) {
    this.queryId = queryId;
    this.windowEnd = windowEnd;
    this.live = live;
    this.rows = rows;
    this.groupsByLevel = groupsByLevel;
    this.totals = totals;
    this.counts = counts;
    this.isSure = isSure;
    this.bound = OrderBound.of(live, rows.layout());
    this.most = (int) Math.min(4 * Math.max(0, live.limit()) + 64, Integer.MAX_VALUE);
  }

  /**
   * The part of some key groups, without dropped groups. They must not change while it is used,
   * except to merge it into another.
   */
  public static WindowPart of(long queryId, long windowEnd, FlowQuery live, GroupTable groups) {
    return of(queryId, windowEnd, live, groups, new PaneCounts(0), true);
  }

  public static WindowPart empty(long queryId, long windowEnd, FlowQuery live) {
    return of(queryId, windowEnd, live, new GroupTable(LiveGroupings.of(live).layout()));
  }

  /**
   * The part of the groups that the counts' level keeps, which certainly stays for all parts
   * together if {@code isSure}. They must not change while it is used.
   */
  static WindowPart of(
      long queryId,
      long windowEnd,
      FlowQuery live,
      GroupTable groups,
      PaneCounts counts,
      boolean isSure) {
    long[] totals = new long[groups.layout().stateWords()];
    groups.layout().reset(totals, 0);
    groups.addTotals(totals);
    long[] byLevel = new long[GroupSample.LAST + 1];
    if (!groups.isOfSample()) {
      byLevel[0] = groups.size();
    } else {
      Arrays.setAll(byLevel, level -> groups.sample().groupsByLevel()[level]);
    }
    WindowPart part =
        new WindowPart(queryId, windowEnd, live, groups, byLevel, totals, counts, isSure);
    // If there are few groups, rows are chosen after merging with others.
    part.isShared = !part.isToBeCut();
    if (!part.isShared) {
      part.rows = part.first(counts.level());
    }
    return part;
  }

  /** Rows that HAVING keeps and that may be within the limit; unless sure, at higher levels too. */
  private GroupTable first(int level) {
    // The one group of a query without keys stays: missing, it would count as one of no rows.
    boolean isOne = rows.layout().keys().isEmpty();
    if (isOne || live.keepsAllGroups()) {
      return taken(rows.all());
    }
    return taken(
        isSure
            ? new GroupAnswer(rows, live).first()
            : new GroupAnswer(rows, live).firstOfLevels(level));
  }

  /** Copies rows before a change if they are shared, or if some do not count. */
  private void own() {
    if (isShared || order != null) {
      rows =
          taken(
              order == null && bound != null && isSure && rows.canBeAppended()
                  ? notBehind(bound, rows)
                  : counted());
      isShared = false;
      order = null;
    }
  }

  private void ownOrdered() {
    if (order != null) {
      own();
    }
  }

  private int[] counted() {
    return order == null ? rows.all() : order.clone();
  }

  boolean isOf(GroupTable table) {
    return rows == table;
  }

  /** Rows after groups sent in advance; {@code replaced}, from {@code first} on, do not count. */
  WindowPart rest(IntStream kept, IntStream replaced, int first) {
    WindowPart rest =
        new WindowPart(
            queryId, windowEnd, live, taken(kept.toArray()), groupsByLevel, totals, counts, isSure);
    rest.superseded = List.of(replaced.map(group -> first + group).toArray());
    return rest;
  }

  /** Numbers, among the task's groups sent in advance, of those that these rows replace. */
  public int[] superseded() {
    return superseded.stream().flatMapToInt(Arrays::stream).toArray();
  }

  /** The same part completed by groups sent in advance, in the query's order. */
  WindowPart with(GroupTable all, int[] inOrder) {
    WindowPart whole =
        new WindowPart(queryId, windowEnd, live, all, groupsByLevel, totals, counts, isSure);
    whole.order = inOrder;
    return whole;
  }

  private GroupTable taken(int[] groups) {
    GroupTable taken = new GroupTable(rows.layout());
    if (rows.canBeAppended()) {
      taken.append(rows, groups);
    } else {
      taken.merge(rows, groups, groups.length);
    }
    return taken;
  }

  private boolean isToBeCut() {
    return live.having() != null || (!live.keepsAllGroups() && rows.size() > most);
  }

  public long queryId() {
    return queryId;
  }

  public FlowQuery query() {
    return live;
  }

  /** Microseconds, exclusive. */
  public long windowEnd() {
    return windowEnd;
  }

  /** The window's groups in these key groups at {@link #level}, regardless of HAVING and LIMIT. */
  public long groups() {
    return PaneCounts.from(groupsByLevel, counts.level());
  }

  /**
   * The level of the groups: 0, all of them; else those whose keys' hash has so many zero bits at
   * certain places, one in 2^level; 17: none, if even one in 65,536 are too many.
   */
  public int level() {
    return counts.level();
  }

  /** An estimate of all groups from the kept ones; −1 if none is kept. */
  public long estimatedGroups() {
    long groups = groups();
    return level() == 0 || groups > 0 ? groups << level() : -1;
  }

  /**
   * The window's result from all parts merged: of the lowest level at which no pane exceeds its
   * {@linkplain GroupLimit#ofPane limit}, whatever the parts and their levels. There is none if
   * parts relied on all groups fitting, and they do not.
   */
  public WindowPart settled(GroupLimit ofPane) {
    int level = counts.levelOf(ofPane);
    if (level == 0) {
      return this;
    }
    PaneCounts of = new PaneCounts(isSure ? GroupSample.NONE : level);
    byte[] levels = rows.levels();
    int[] kept = counted();
    int n = 0;
    for (int group : kept) {
      if (levels[group] >= of.level()) {
        kept[n++] = group;
      }
    }
    return new WindowPart(
        queryId, windowEnd, live, taken(Arrays.copyOf(kept, n)), groupsByLevel, totals, of, isSure);
  }

  /**
   * Merges the part of other key groups of the same window.
   *
   * @throws IllegalArgumentException if it is of another query or window
   */
  public void merge(WindowPart other) {
    mergeCounts(other);
    own();
    other.ownOrdered();
    if (rows.canBeAppended()) {
      // Other key groups have other groups: no lookup is needed.
      rows.append(
          other.rows, bound != null && isSure ? notBehind(bound, other.rows) : other.rows.all());
    } else {
      rows.merge(other.rows);
    }
    if (!live.keepsAllGroups() && rows.size() > most) {
      rows = first(counts.level());
      most = 4 * rows.size() + 64;
      if (bound != null && isSure) {
        bound.learn(rows, rows.all()); // they are in order
      }
    }
  }

  private static int[] notBehind(OrderBound bound, GroupTable of) {
    int[] chosen = new int[of.size() + 1];
    int n = bound.choose(of.words(), of.stateAt(0), of.stride(), of.size(), chosen);
    return Arrays.copyOf(chosen, n);
  }

  private void mergeCounts(WindowPart other) {
    if (other.queryId != queryId || other.windowEnd != windowEnd) {
      throw new IllegalArgumentException(
          "a part of query "
              + other.queryId
              + ", window end "
              + other.windowEnd
              + ", expected query "
              + queryId
              + ", window end "
              + windowEnd);
    }
    for (int l = 0; l < groupsByLevel.length; l++) {
      groupsByLevel[l] += other.groupsByLevel[l];
    }
    counts.merge(other.counts);
    isSure |= other.isSure;
    superseded = Stream.concat(superseded.stream(), other.superseded.stream()).toList();
    rows.layout().merge(totals, 0, other.totals, 0);
  }

  public int size() {
    return order == null ? rows.size() : order.length;
  }

  /** The rows of the part; read-only. */
  GroupTable allRows() {
    ownOrdered();
    return rows;
  }

  /** Whether the part keeps all groups, however many. */
  public boolean isUnlimited() {
    return live.keepsAllGroups();
  }

  /** In the query's order. */
  public ResultTable result() {
    return answer().rows();
  }

  /** The rows in the query's order, with error bounds. */
  public GroupAnswer.WithBounds answer() {
    boolean hasNone = level() > 0 && rows.size() == 0;
    if (rows.size() == 0) {
      own(); // the answer of a query without keys has one group
    }
    GroupAnswer answer = new GroupAnswer(rows, live);
    int[] groups = hasNone ? new int[0] : order != null ? order : answer.ordered();
    return new GroupAnswer.WithBounds(answer.rows(groups), ValueBound.of(rows, live, groups));
  }

  /**
   * One row: the aggregates of the select list over all groups of the window, including dropped
   * ones. NULL if an aggregate {@linkplain FlowQuery#hasTotal has no total}, and for COUNT(DISTINCT
   * …) if groups were dropped.
   */
  public ResultTable totals() {
    return GroupRows.aggregates(live, rows.layout(), totals, level() == 0);
  }

  /** The part as versioned bytes. */
  public byte[] toBytes() {
    ownOrdered();
    GroupTable kept = live.keepsAllGroups() ? rows : first(counts.level());
    int levels = groupsByLevel.length;
    long[] words = new long[1 + totals.length + 1 + levels + counts.words()];
    words[0] = groups();
    System.arraycopy(totals, 0, words, 1, totals.length);
    int at = 1 + totals.length;
    words[at++] = isSure ? 1 : 0;
    System.arraycopy(groupsByLevel, 0, words, at, levels);
    at = counts.write(words, at + levels);
    if (at != words.length) {
      throw new AssertionError(at + " words of a part, expected " + words.length);
    }
    List<byte[]> blocks = TablePartials.of(kept, queryId, 0, 0, windowEnd, windowEnd, windowEnd);
    return StateBytes.part(queryId, rows.layout().fingerprint(), windowEnd, words, blocks);
  }

  /**
   * Opens untrusted bytes.
   *
   * @throws PartialFormatException if they are damaged or of a query with other groups
   */
  public static WindowPart open(byte[] bytes, FlowQuery live) {
    return open(List.of(bytes), live);
  }

  /**
   * Opens and merges one or more parts of one window with different groups.
   *
   * @throws IllegalArgumentException if they are of different windows or queries
   */
  public static WindowPart open(List<byte[]> parts, FlowQuery live) {
    GroupLayout layout = LiveGroupings.of(live).layout();
    List<PartialGroups> blocks = new ArrayList<>();
    List<WindowPart> opened = new ArrayList<>();
    for (byte[] bytes : parts) {
      StateBytes state = StateBytes.openPart(bytes, layout.fingerprint(), 1 + layout.stateWords());
      state.blocks().forEach(block -> blocks.add(PartialGroups.open(block)));
      opened.add(withoutRows(StateBytes.queryId(bytes), state, live, layout));
    }
    WindowPart all = opened.get(0);
    opened.subList(1, opened.size()).forEach(all::mergeCounts);
    all.rows = PartialMerge.table(layout, blocks);
    return all;
  }

  private static WindowPart withoutRows(
      long queryId, StateBytes state, FlowQuery live, GroupLayout layout) {
    long[] words = state.words();
    long[] totals = Arrays.copyOfRange(words, 1, 1 + layout.stateWords());
    int at = 1 + layout.stateWords();
    long[] byLevel = new long[GroupSample.LAST + 1];
    PaneCounts counts = new PaneCounts(0);
    boolean isSure = true;
    if (state.hasSamples()) {
      if (words.length - at < 1 + byLevel.length) {
        throw new PartialFormatException("a window's part lacks the numbers of its groups");
      }
      isSure = words[at++] != 0;
      System.arraycopy(words, at, byLevel, 0, byLevel.length);
      counts = PaneCounts.read(words, at + byLevel.length, state.hasStateBytes());
    } else {
      byLevel[0] = words[0];
    }
    GroupTable none = new GroupTable(layout);
    return new WindowPart(queryId, state.time(), live, none, byLevel, totals, counts, isSure);
  }

  /**
   * The window end of a part's bytes.
   *
   * @throws PartialFormatException if they are too few; nothing else is checked
   */
  public static long windowEnd(byte[] bytes) {
    return StateBytes.time(bytes);
  }
}
