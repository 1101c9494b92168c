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
import org.flowmon.udaf.order.OrderBound;
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

/**
 * The part of a window's result that comes from some key groups, which have all of each of their
 * groups: the rows that HAVING keeps and that may be in the query's ORDER BY … LIMIT, the number of
 * all groups, and the totals of all aggregates over all groups, those that HAVING drops too. Parts
 * of different key groups merge, in any order, into the window's exact result. Where there are more
 * groups than the {@link GroupBudget} has room for, it is that of some of them, and the totals are
 * those of all. Not thread-safe.
 */
public final class WindowPart {
  private final long queryId;
  private final long windowEnd;
  private final FlowQuery live;
  private final long[] totals;
  private final long[] groupsByLevel;
  private final PaneCounts counts;
  private boolean isSure;
  // What the rows that are still wanted are not behind; null where the order has no such bound.
  private OrderBound bound;
  private GroupTable rows;
  // Whether the rows are those of whom it is a part, and not its own to change.
  private boolean isShared;
  // Rows from which on it looks which of them are still wanted.
  private int most;
  // Places, among the groups that went in advance, of those that count no more.
  private List<int[]> superseded = List.of();
  // The rows that count, in the query's order; null: all, in none.
  private int[] order;

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
   * The part of some key groups, none of whose groups was left out.
   *
   * @param groups all groups of the window in them; only read, and not to be changed as long as the
   *     part is used, but by merging it into another
   */
  public static WindowPart of(long queryId, long windowEnd, FlowQuery live, GroupTable groups) {
    return of(queryId, windowEnd, live, groups, new PaneCounts(0), true);
  }

  /** The part of a window in which there is nothing. */
  public static WindowPart empty(long queryId, long windowEnd, FlowQuery live) {
    return of(queryId, windowEnd, live, new GroupTable(LiveGroupings.of(live).layout()));
  }

  /**
   * The part of some key groups.
   *
   * @param groups all groups of the window in them that the counts' level has, as of {@link
   *     #of(long, long, FlowQuery, GroupTable)}
   * @param counts how many groups the window's panes have
   * @param isSure whether all parts together are not going to be of a higher level
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
    if (groups.sample() == null) {
      byLevel[0] = groups.size();
    } else {
      Arrays.setAll(byLevel, level -> groups.sample().groupsByLevel()[level]);
    }
    WindowPart part =
        new WindowPart(queryId, windowEnd, live, groups, byLevel, totals, counts, isSure);
    // Those of few groups are chosen when they are together with others.
    part.isShared = !part.isToBeCut();
    if (!part.isShared) {
      part.rows = part.first(counts.level());
    }
    return part;
  }

  /**
   * A table of the rows that HAVING keeps and that may be within the limit: where the level may
   * rise, in the groups of a higher one.
   */
  private GroupTable first(int level) {
    // The one group of a query without keys stays until the end: where there is none, it is taken
    // for one of no rows.
    boolean isOne = rows.layout().keys().isEmpty();
    if (isOne || live.keepsAllGroups()) {
      return taken(rows.all());
    }
    return taken(
        isSure
            ? new GroupAnswer(rows, live).first()
            : new GroupAnswer(rows, live).firstOfLevels(level));
  }

  /** Copies rows that are another's, or that do not all count, before they are changed. */
  private void own() {
    if (isShared || order != null) {
      boolean isBounded = order == null && bound != null && isSure && rows.canBeAppended();
      rows = taken(isBounded ? notBehind(rows) : counted());
      isShared = false;
      order = null;
    }
  }

  /** Leaves out rows that do not count, where there may be some. */
  private void ownOrdered() {
    if (order != null) {
      own();
    }
  }

  /** The rows that count. */
  private int[] counted() {
    return order == null ? rows.all() : order.clone();
  }

  /** Whether the rows are this table's. */
  boolean isOf(GroupTable table) {
    return rows == table;
  }

  /**
   * Says what none of the rows that are wanted is behind: others that are merged into this need not
   * be taken.
   *
   * @param known what was {@link #learned} in advance
   * @param changed groups that have changed since: where these are more than are wanted, nothing is
   *     known any more
   */
  public void expect(OrderBound known, long changed) {
    if (changed <= live.limit()) {
      bound = known;
    }
  }

  /**
   * What so many groups are not behind: those that are among the first now, twice as many as the
   * query wants. As long as no more of them change than it wants, enough are left.
   *
   * @return null where there are not so many groups, or the order has no such bound
   */
  public OrderBound learned() {
    if (bound == null || rows.size() < live.limit()) {
      return null;
    }
    own();
    rows = first(counts.level());
    bound.learn(rows, rows.all());
    return bound.isKnown() ? bound : null;
  }

  /**
   * What it has beside groups that went in advance.
   *
   * @param first place of the first of them among all that the task sent of the window in advance
   * @param groups how many went
   * @param since tells which of the groups have changed; null where the table is another now, so
   *     that none of what went counts any more
   */
  WindowPart rest(int first, int groups, GroupTable since) {
    int[] gone = since == null ? IntStream.range(0, groups).toArray() : since.changes().numbers();
    int[] kept =
        since == null
            ? rows.all()
            : IntStream.concat(
                    Arrays.stream(gone), IntStream.range(since.changes().groups(), since.size()))
                .toArray();
    WindowPart rest =
        new WindowPart(
            queryId, windowEnd, live, taken(kept), groupsByLevel, totals, counts, isSure);
    rest.superseded = List.of(Arrays.stream(gone).map(group -> first + group).toArray());
    return rest;
  }

  /**
   * Where the groups that count no more are, among those that the task sent of the window in
   * advance: what is here takes their places.
   */
  public int[] superseded() {
    return superseded.stream().flatMapToInt(Arrays::stream).toArray();
  }

  /**
   * The same part with groups that went in advance besides its own.
   *
   * @param all has both
   * @param inOrder those that count, in the query's order
   */
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

  /** The query that it is a part of the answer of. */
  public FlowQuery query() {
    return live;
  }

  /** End of the window in microseconds, which is not in it. */
  public long windowEnd() {
    return windowEnd;
  }

  /**
   * Groups of the window in these key groups, beyond HAVING and LIMIT too: all that its {@link
   * #level} has.
   */
  public long groups() {
    return PaneCounts.from(groupsByLevel, counts.level());
  }

  /**
   * Which groups it is of: 0, all of them; else those in whose keys' hash so many certain bits are
   * zero, one in 2^level; 17: none, where even one in 65,536 are too many.
   */
  public int level() {
    return counts.level();
  }

  /** An estimate of the number of all groups from those that are there; −1 where none is. */
  public long estimatedGroups() {
    long groups = groups();
    return level() == 0 || groups > 0 ? groups << level() : -1;
  }

  /**
   * The window's result of all parts merged: of the lowest level at which no pane has more than
   * that. It is the same whatever the parts and their levels were. Where parts took it for certain
   * that all groups would fit, and they do not, it has none.
   *
   * @param ofPane the {@linkplain GroupLimit#ofPane limit of a pane}
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
   * Takes in the part of other key groups of the same window.
   *
   * @throws IllegalArgumentException where it is of another query or window
   */
  public void merge(WindowPart other) {
    mergeCounts(other);
    own();
    other.ownOrdered();
    if (rows.canBeAppended()) {
      // Other key groups have other groups: none need be looked for.
      rows.append(other.rows, bound != null && isSure ? notBehind(other.rows) : other.rows.all());
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

  private int[] notBehind(GroupTable of) {
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

  /** Rows that it holds. */
  public int size() {
    return order == null ? rows.size() : order.length;
  }

  /** The rows that it holds; not to be changed. */
  GroupTable allRows() {
    ownOrdered();
    return rows;
  }

  /** Whether it holds all groups, however many there are. */
  public boolean isUnlimited() {
    return live.keepsAllGroups();
  }

  /** The rows in the query's order. */
  public ResultTable result() {
    return answer().rows();
  }

  /** The rows in the query's order, and how far they may be off. */
  public GroupAnswer.WithBounds answer() {
    boolean hasNone = level() > 0 && rows.size() == 0;
    if (rows.size() == 0) {
      own(); // the answer of a query without keys has a group then
    }
    GroupAnswer answer = new GroupAnswer(rows, live);
    int[] groups = hasNone ? new int[0] : order != null ? order : answer.ordered();
    return new GroupAnswer.WithBounds(answer.rows(groups), ValueBound.of(rows, live, groups));
  }

  /**
   * One row: each aggregate that is an item of the select list, over all groups of the window,
   * those that are left out too; NULL where it {@linkplain FlowQuery#hasTotal has no total}, and of
   * COUNT(DISTINCT …) where groups are left out.
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
   * Opens bytes that may come from anywhere.
   *
   * @param live the query that the part is of
   * @throws PartialFormatException where the bytes are damaged or of a query with other groups
   */
  public static WindowPart open(byte[] bytes, FlowQuery live) {
    return open(List.of(bytes), live);
  }

  /**
   * Opens parts of one window with different groups, as {@link #open(byte[], FlowQuery)}, and puts
   * them together.
   *
   * @param parts at least one
   * @throws IllegalArgumentException where they are of different windows or queries
   */
  public static WindowPart open(List<byte[]> parts, FlowQuery live) {
    GroupLayout layout = LiveGroupings.of(live).layout();
    List<PartialGroups> blocks = new ArrayList<>();
    WindowPart all = null;
    for (byte[] bytes : parts) {
      StateBytes state = StateBytes.openPart(bytes, layout.fingerprint(), 1 + layout.stateWords());
      state.blocks().forEach(block -> blocks.add(PartialGroups.open(block)));
      WindowPart part = withoutRows(StateBytes.queryId(bytes), state, live, layout);
      if (all == null) {
        all = part;
      } else {
        all.mergeCounts(part);
      }
    }
    all.rows = rows(layout, blocks);
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
        throw new PartialFormatException("a window's part has no numbers of its groups");
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

  /** The groups of bytes that may come from anywhere; the numbers beside them are not looked at. */
  static List<PartialGroups> blocks(byte[] bytes, FlowQuery live) {
    GroupLayout layout = LiveGroupings.of(live).layout();
    return StateBytes.openPart(bytes, layout.fingerprint(), 1 + layout.stateWords())
        .blocks()
        .stream()
        .map(PartialGroups::open)
        .toList();
  }

  /** A table of groups that are all different. */
  static GroupTable rows(GroupLayout layout, List<PartialGroups> blocks) {
    GroupTable rows = new GroupTable(layout);
    PartialMerge merge = new PartialMerge(layout);
    boolean append = rows.canBeAppended();
    if (append) {
      rows.reserveToAppend(blocks.stream().mapToLong(PartialGroups::groups).sum());
    }
    for (PartialGroups groups : blocks) {
      if (append) {
        merge.append(rows, groups); // parts have different groups, and each of them once
      } else {
        merge.into(rows, groups);
      }
    }
    return rows;
  }

  /**
   * The end of the window that bytes are a part of.
   *
   * @throws PartialFormatException where the bytes are too few; nothing else is checked
   */
  public static long windowEnd(byte[] bytes) {
    return StateBytes.time(bytes);
  }
}
