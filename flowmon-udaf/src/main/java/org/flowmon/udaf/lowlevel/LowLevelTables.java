package org.flowmon.udaf.lowlevel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.SharedSelection;
import org.flowmon.udaf.expression.SharedVector;
import org.flowmon.udaf.group.TextDictionary;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.tuning.TableSize;
import org.flowmon.udaf.vector.Vector;

/**
 * The low level of live queries with the same filter and the same panes: filters flows, puts them
 * into panes and reduces them in tables of fixed size, one for each list of keys, whichever queries
 * group by it. What a table gives up, because of a collision or because its pane is closed, goes to
 * each of these queries as its own partial groups.
 *
 * <pre>
 *   A: SELECT src, SUM(bytes) … GROUP BY src              slot of src: | count | sum of bytes | max of packets |
 *   B: SELECT src, MAX(packets), COUNT(*) … GROUP BY src    A gets      |   x   |      x       |                |
 *                                                           B gets      |   x   |              |       x        |
 * </pre>
 *
 * <p>Queries come and go between batches: the tables are emptied first, to those that are there,
 * and made anew. A query whose evaluation fails goes, with nothing of the rows at hand; all others
 * are given these. Not thread-safe.
 */
public final class LowLevelTables {
  private static final int MAX_TEXTS = 1 << 16;

  /** Panes that may have groups in the tables between two batches: more go on to the merge. */
  static final int MAX_PANES = 1 << 16;

  // Longs of all tables: a gigabyte. One query may have more.
  private static final long MAX_SHARED_WORDS = 1 << 27;

  private final WindowSpec window;
  private final TableSize size;
  private final int maxParallelism;
  private final SharedEvaluation evaluation;
  private final LongSupplier nanos;
  private final SharedSelection filter;
  private final TextDictionary texts = new TextDictionary(new MemoryDraw(null));
  private final PaneSet panes = new PaneSet();
  private final PaneAssignment assignment;
  // Null where flows are not divided.
  private final SpreadAssignment spread;
  private final List<LowLevelMember> members = new ArrayList<>();
  private final int[] selection = new int[Vector.CAPACITY];
  private final ArrivedFlows arrived;
  private LowLevelGrouping[] groupings = {};

  private int slotsToDrain;
  private int closedPanes;
  private long flows;
  private long selected;
  private long counted;

  /**
   * No queries and no flows yet.
   *
   * @param where null where they have no filter
   * @param window that of one of the queries, in nothing but the width another than theirs
   * @param size of each table
   * @param maxParallelism number of key groups, 1 … 32,768
   * @param first says which panes open until the first watermark
   * @param evaluation what is found out once, also for others
   * @param nanos a clock that only the differences of count
   */
  LowLevelTables(
      Expression where,
      WindowSpec window,
      TableSize size,
      int maxParallelism,
      FirstPanes first,
      SharedEvaluation evaluation,
      LongSupplier nanos) {
    this.window = window;
    this.size = size;
    this.nanos = nanos;
    this.maxParallelism = maxParallelism;
    this.evaluation = evaluation;
    this.filter = evaluation.expressions().filter(where);
    this.arrived = new ArrivedFlows(window);
    this.assignment = new PaneAssignment(window, panes, first, arrived);
    this.spread = window.spread() ? new SpreadAssignment(window, assignment) : null;
  }

  /** Whether tables for a query beside those that are there would not be too large. */
  boolean haveRoomFor(LowLevelMember member) {
    List<LowLevelMember> all = new ArrayList<>(members);
    all.add(member);
    long words = 0;
    for (LowLevelGrouping.Plan plan : LowLevelGrouping.Plan.of(all)) {
      words += plan.words(size.slots());
    }
    return words <= MAX_SHARED_WORDS;
  }

  /**
   * Takes a query, which is given what is processed from now on.
   *
   * @throws org.flowmon.udaf.text.QueryException naming a parameter that is still in it
   */
  void add(LowLevelMember member) {
    for (GroupLayout layout : member.groupings().groupings()) {
      // Should it fail, those that are there do not notice.
      SharedVector[] unused = evaluation.values(layout.keys());
      unused = evaluation.values(layout.arguments());
    }
    guarded(this::empty);
    members.add(member);
    member.enter(this);
    setWidths();
    makeGroupings();
  }

  /** A query goes, and what the tables have for it, where they have not been drained. */
  void remove(LowLevelMember member) {
    member.leave();
    members.remove(member);
    guarded(this::regroup);
  }

  boolean isEmpty() {
    return members.isEmpty();
  }

  /** Takes a batch; evicted groups may go to the sinks. */
  void process(FlowBatch batch) {
    guarded(() -> take(batch));
    if (panes.size() > MAX_PANES) {
      drainAll();
    }
  }

  private void take(FlowBatch batch) {
    flows += batch.rows();
    arrived.begin(batch);
    if (batch.rows() == 0) {
      return;
    }
    Pane single = spread == null ? assignment.single(batch) : null;
    for (int from = 0; from < batch.rows(); from += Vector.CAPACITY) {
      int count = Math.min(Vector.CAPACITY, batch.rows() - from);
      int n = filter.select(batch, from, count);
      int[] chosen = filter.rows();
      selected += n;
      arrived.add(batch, from, count, chosen, n);
      if (spread != null) {
        // Not in one statement: counters may begin anew meanwhile.
        int divided = spread.assign(batch, from, count, chosen, n, this::add);
        counted += divided;
        continue;
      }
      if (n > 0 && single == null) {
        System.arraycopy(chosen, 0, selection, 0, n); // what was chosen may be others', too
        chosen = selection;
        n = assignment.assign(batch, from, count, selection, n);
      }
      if (n > 0) {
        counted += n;
        add(batch, from, count, chosen, n, single == null ? assignment.paneOf : null, single);
      }
    }
    if (texts.size() > MAX_TEXTS) {
      forgetTexts();
    }
  }

  private void add(SpreadRows shares) {
    add(shares, 0, shares.rows(), shares.all, shares.rows(), shares.panes, null);
  }

  private void add(
      FlowRows rows, int from, int count, int[] chosen, int n, Pane[] paneOf, Pane pane) {
    // All that may fail because of one query comes before any table has some of the rows.
    while (!evaluate(rows, from, count)) {
      regroup(); // without those that failed
    }
    each(grouping -> grouping.add(chosen, n, paneOf, pane));
  }

  private boolean evaluate(FlowRows rows, int from, int count) {
    boolean all = true;
    for (LowLevelGrouping grouping : groupings) {
      all &= grouping.evaluate(rows, from, count);
    }
    return all;
  }

  /** Does something with each table; the queries go whose tables it fails with. */
  private void each(Consumer<LowLevelGrouping> work) {
    boolean failed = false;
    for (LowLevelGrouping grouping : groupings) {
      failed |= !succeeds(work, grouping);
    }
    if (failed) {
      regroup();
    }
  }

  private boolean succeeds(Consumer<LowLevelGrouping> work, LowLevelGrouping grouping) {
    try {
      work.accept(grouping);
      return true;
    } catch (RuntimeException e) {
      if (isOfSink(e)) {
        throw e;
      }
      grouping.fail(e);
      return false;
    }
  }

  /** What cannot be told to be of some of the queries fails all of them. */
  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      if (isOfSink(e)) {
        throw e;
      }
      members.forEach(member -> member.fail(e));
      regroup();
    }
  }

  private boolean isOfSink(RuntimeException e) {
    return members.stream().anyMatch(member -> member.isOfSink(e));
  }

  /** Empties the tables and makes those anew that the queries need which have not failed. */
  private void regroup() {
    empty();
    makeGroupings();
  }

  private void makeGroupings() {
    List<LowLevelGrouping.Plan> plans = LowLevelGrouping.Plan.of(members);
    panes.setDestinations(plans.size() * maxParallelism);
    groupings = new LowLevelGrouping[plans.size()];
    for (int g = 0; g < groupings.length; g++) {
      groupings[g] =
          new LowLevelGrouping(
              plans.get(g), g, texts, panes, size, maxParallelism, evaluation, nanos);
    }
  }

  /**
   * Sends all groups of all panes, which stay, and forgets those that are for nobody: failed
   * queries go. Counters begin anew.
   */
  private void empty() {
    emptyGroupings();
    for (LowLevelMember member : List.copyOf(members)) {
      if (member.receives()) {
        member.keepCounts();
      } else {
        members.remove(member);
        member.leave();
      }
    }
    clearCounts();
  }

  private void emptyGroupings() {
    for (LowLevelGrouping grouping : groupings) {
      boolean isSent =
          grouping.isWanted()
              && succeeds(
                  wanted -> {
                    wanted.drainAll();
                    panes.forEach(wanted::flush);
                  },
                  grouping);
      if (!isSent) {
        grouping.clear();
      }
    }
  }

  private void clearCounts() {
    groupings = new LowLevelGrouping[0];
    flows = 0;
    selected = 0;
    counted = 0;
    setWidths();
  }

  private void setWidths() {
    assignment.setWidths(
        members.stream().mapToLong(member -> member.window().widthMicros()).distinct().toArray());
  }

  /** Texts are numbered for the tables' sake: once they are empty, the numbers can begin anew. */
  private void forgetTexts() {
    each(LowLevelGrouping::drainAll);
    texts.clear();
  }

  /**
   * Closes all panes whose flows have all arrived, as no flow with an arrival at or before this
   * will come any more, and that a window's result needs by then. Of panes most of whose flows have
   * arrived the groups go ahead; what still comes is of another pane of the same time.
   */
  void closePanesUpTo(long watermarkMicros) {
    long before = assignment.watermark;
    if (watermarkMicros <= before) {
      return;
    }
    assignment.reached(watermarkMicros);
    panes.forEach(
        pane -> {
          long advanceAt = window.advanceAt(pane.fromWindowEnd);
          if (pane.closed) {
            return;
          }
          if (window.neededAt(pane.fromWindowEnd, pane.due) <= watermarkMicros) {
            close(pane);
          } else if (advanceAt > before && advanceAt <= watermarkMicros && goAhead()) {
            panes.detach(pane);
            close(pane);
          }
        });
    panes.forgetDetached(watermarkMicros - window.latenessMicros());
    guarded(this::settle);
  }

  /** Whether the groups of any query are of use ahead of their windows' results. */
  private boolean goAhead() {
    return members.stream().anyMatch(LowLevelMember::canAdvance);
  }

  private void close(Pane pane) {
    pane.closed = true;
    closedPanes++;
    slotsToDrain = slots();
  }

  /**
   * Looks at up to so many slots of each table for groups of closed panes and sends them away.
   *
   * @return whether all closed panes are out, as {@link #isDrained}
   */
  boolean drainSome(int some) {
    if (closedPanes > 0) {
      int looked = Math.min(some, slotsToDrain);
      slotsToDrain -= looked;
      guarded(
          () -> {
            each(grouping -> grouping.drain(looked));
            settle();
          });
    }
    return isDrained();
  }

  /** Forgets closed panes that have nothing left in the tables, once the sinks have all of them. */
  private void settle() {
    if (closedPanes == 0) {
      return;
    }
    boolean[] epochEnds = new boolean[1];
    panes.forEach(
        pane -> {
          if (pane.closed && pane.slots == 0) {
            send(pane);
            closedPanes--;
            epochEnds[0] |= !pane.isRest;
          }
        });
    if (epochEnds[0]) {
      each(LowLevelGrouping::epochEnds);
    }
  }

  /** Slots of the largest table. */
  private int slots() {
    int most = 0;
    for (LowLevelGrouping grouping : groupings) {
      most = Math.max(most, grouping.slots());
    }
    return most;
  }

  private void send(Pane pane) {
    each(grouping -> grouping.flush(pane));
    panes.remove(pane);
  }

  /** Whether the sinks have everything of the closed panes. */
  boolean isDrained() {
    return closedPanes == 0 || members.isEmpty();
  }

  /** Sends everything away, of open panes too: before a barrier, or if it is too much. */
  void drainAll() {
    guarded(
        () -> {
          each(LowLevelGrouping::drainAll);
          panes.forEach(this::send);
          each(LowLevelGrouping::epochEnds);
        });
    closedPanes = 0;
    slotsToDrain = 0;
    texts.clear();
  }

  /** Of the last batch. */
  ArrivedFlows arrived() {
    return arrived;
  }

  /** Panes that it holds groups of. */
  int panes() {
    return panes.size();
  }

  /** Tables that it has. */
  int tables() {
    return groupings.length;
  }

  /** What the tables are made of that a query has groups in. */
  LowLevelTuning tuning(LowLevelMember member) {
    LowLevelTuning all = LowLevelTuning.NONE;
    for (LowLevelGrouping grouping : groupings) {
      if (grouping.partsOf(member) > 0) {
        all = all.plus(grouping.tuning());
      }
    }
    return all;
  }

  /** What was counted for a query since the tables were made, but for what was sent. */
  LowLevelCounts counts(LowLevelMember member) {
    long evictions = 0;
    long passedRows = 0;
    for (LowLevelGrouping grouping : groupings) {
      int parts = grouping.partsOf(member);
      evictions += parts * grouping.evictions();
      passedRows += parts * grouping.passedRows();
    }
    PaneAssignment.Width width = assignment.width(member.window().widthMicros());
    return new LowLevelCounts(
        flows,
        selected,
        counted - width.inWider,
        assignment.late + width.late,
        assignment.partlyLate + width.partlyLate,
        assignment.ahead,
        assignment.behindWatermark + width.behindWatermark,
        evictions,
        passedRows,
        0,
        0);
  }
}
