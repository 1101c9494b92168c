package org.flowmon.udaf.table;

import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;

/**
 * The part of a window's result that comes from some key groups, which have all of each of their
 * groups: the rows that HAVING keeps and that may be in the query's ORDER BY … LIMIT, the number of
 * all groups, and the totals of all aggregates over all groups, those that HAVING drops too. Parts
 * of different key groups merge, in any order, into the window's exact result. Not thread-safe.
 */
public final class WindowPart {
  private final long queryId;
  private final long windowEnd;
  private final FlowQuery live;
  private final long[] totals;
  private GroupTable rows;
  private long groups;

  private WindowPart(
      long queryId, long windowEnd, FlowQuery live, GroupTable rows, long groups, long[] totals) {
    this.queryId = queryId;
    this.windowEnd = windowEnd;
    this.live = live;
    this.rows = rows;
    this.groups = groups;
    this.totals = totals;
  }

  /**
   * The part of some key groups.
   *
   * @param groups all groups of the window in them; only read
   */
  public static WindowPart of(long queryId, long windowEnd, FlowQuery live, GroupTable groups) {
    long[] totals = new long[groups.layout().stateWords()];
    groups.layout().reset(totals, 0);
    groups.addTotals(totals);
    return new WindowPart(queryId, windowEnd, live, first(live, groups), groups.size(), totals);
  }

  /** A table of the groups that HAVING keeps and that are within the limit. */
  private static GroupTable first(FlowQuery live, GroupTable groups) {
    GroupTable first = new GroupTable(groups.layout());
    // The one group of a query without keys stays until the end: where there is none, it is taken
    // for one of no rows.
    boolean isOne = groups.layout().keys().isEmpty();
    int[] kept = isOne || keepsAll(live) ? groups.all() : groups.first(live);
    if (groups.canBeAppended()) {
      first.append(groups, kept);
    } else {
      first.merge(groups, kept, kept.length);
    }
    return first;
  }

  /** Whether every group goes out, so that nothing need be put in order before the end. */
  private static boolean keepsAll(FlowQuery live) {
    return live.limit() < 0 && live.having() == null;
  }

  /**
   * Whether what the groups have of an aggregate gives what all rows have of it. Two groups may
   * count the same: a COUNT(DISTINCT …) has a total only where its arguments hold all keys of GROUP
   * BY.
   */
  public static boolean hasTotal(FlowQuery query, AggregateCall call) {
    return !call.isDistinct() || call.arguments().containsAll(query.groupBy());
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

  /** All groups of the window in these key groups, beyond HAVING and LIMIT too. */
  public long groups() {
    return groups;
  }

  /**
   * Takes in the part of other key groups of the same window.
   *
   * @throws IllegalArgumentException where it is of another query or window
   */
  public void merge(WindowPart other) {
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
    if (rows.canBeAppended()) {
      rows.append(other.rows); // other key groups have other groups: none need be looked for
    } else {
      rows.merge(other.rows);
    }
    groups += other.groups;
    rows.layout().merge(totals, 0, other.totals, 0);
    if (live.limit() >= 0 && rows.size() > 4 * live.limit() + 64) {
      rows = first(live, rows);
    }
  }

  /** The rows in the query's order. */
  public ResultTable result() {
    return rows.finish(live);
  }

  /**
   * One row: each aggregate that is an item of the select list, over all rows of the window; NULL
   * where it {@linkplain #hasTotal has no total}.
   */
  public ResultTable totals() {
    return GroupRows.aggregates(live, rows.layout(), totals);
  }

  /** The part as versioned bytes. */
  public byte[] toBytes() {
    GroupTable kept = keepsAll(live) ? rows : first(live, rows);
    long[] words = new long[1 + totals.length];
    words[0] = groups;
    System.arraycopy(totals, 0, words, 1, totals.length);
    List<byte[]> blocks = kept.toPartials(queryId, 0, 0, windowEnd, windowEnd, windowEnd);
    return StateBytes.part(queryId, rows.layout().fingerprint(), windowEnd, words, blocks);
  }

  /**
   * Opens bytes that may come from anywhere.
   *
   * @param live the query that the part is of
   * @throws PartialFormatException where the bytes are damaged or of a query with other groups
   */
  public static WindowPart open(byte[] bytes, FlowQuery live) {
    GroupLayout layout = LiveGroupings.of(live).layout();
    StateBytes state = StateBytes.openPart(bytes, layout.fingerprint(), 1 + layout.stateWords());
    GroupTable rows = new GroupTable(layout);
    PartialMerge merge = new PartialMerge(layout);
    for (byte[] block : state.blocks()) {
      PartialGroups groups = PartialGroups.open(block);
      if (rows.canBeAppended()) {
        merge.append(rows, groups); // a part has each of its groups once
      } else {
        rows.merge(groups, merge);
      }
    }
    long[] totals = new long[layout.stateWords()];
    System.arraycopy(state.words(), 1, totals, 0, totals.length);
    return new WindowPart(
        StateBytes.queryId(bytes), state.time(), live, rows, state.words()[0], totals);
  }
}
