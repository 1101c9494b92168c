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
import org.flowmon.udaf.vector.ChosenRows;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * The tables of live queries of a {@link LowLevel} with the same filter and the same panes: one for
 * each list of keys, shared by the queries that group by it.
 *
 * <pre>
 *   A: SELECT src, SUM(bytes) … GROUP BY src              slot of src: | count | sum of bytes | max of packets |
 *   B: SELECT src, MAX(packets), COUNT(*) … GROUP BY src    A gets      |   x   |      x       |                |
 *                                                           B gets      |   x   |              |       x        |
 * </pre>
 *
 * <p>Queries come and go between batches: the tables are first emptied to the present queries and
 * then rebuilt. A query whose evaluation fails is removed and gets nothing of the current rows; all
 * others get them. Not thread-safe.
 */
public final class LowLevelTables {
  private static final int MAX_TEXTS = 1 << 16;

  /** Of this part of the rows or fewer keys and arguments are evaluated apart from the others'. */
  private static final int FEW = 4;

  /** Panes with groups in the tables between two batches; beyond it, groups go on to the merge. */
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
  // Null if flows are not divided.
  private final @Nullable SpreadAssignment spread;
  private final List<LowLevelMember> members = new ArrayList<>();
  private final int[] selection = new int[Vector.CAPACITY];
  private final ChosenRows few = new ChosenRows();
  private final ArrivedFlows arrived;
  private LowLevelGrouping[] groupings = {};

  private int slotsToDrain;
  private int closedPanes;
  private long flows;
  private long selected;
  private long counted;

  /**
   * Tables without queries and flows.
   *
   * @param where null if they have no filter
   * @param window of one of the queries; the others differ in width at most
   * @param maxParallelism number of key groups, 1 … 32,768
   * @param nanos a clock; only its differences count
   */
  LowLevelTables(
      @Nullable Expression where,
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

  boolean haveRoomFor(LowLevelMember member) {
    List<LowLevelMember> all = new ArrayList<>(members);
    all.add(member);
    long words = 0;
    for (LowLevelGrouping.Plan plan : LowLevelGrouping.Plan.of(all)) {
      words += plan.words(size.slots());
    }
    return words <= MAX_SHARED_WORDS;
  }

  /** Adds a query; a {@link org.flowmon.udaf.text.QueryException} names a remaining parameter. */
  void add(LowLevelMember member) {
    for (GroupLayout layout : member.groupings().groupings()) {
      // If this fails, the present queries are not affected.
      SharedVector[] unused = evaluation.values(layout.keys());
      unused = evaluation.values(layout.arguments());
    }
    guarded(this::empty);
    members.add(member);
    member.enter(this);
    setWidths();
    makeGroupings();
  }

  /** Removes a query and its groups in the tables that have not been drained. */
  void remove(LowLevelMember member) {
    member.leave();
    members.remove(member);
    guarded(this::regroup);
  }

  boolean isEmpty() {
    return members.isEmpty();
  }

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
      if (n > 0 && single != null) {
        counted += n;
        addChosen(batch, from, count, chosen, n, null, single);
      } else if (n > 0) {
        System.arraycopy(chosen, 0, selection, 0, n); // the chosen rows may be shared
        int kept = assignment.assign(batch, from, count, selection, n);
        counted += kept;
        if (kept > 0) {
          Pane[] paneOf = assignment.paneOf;
          addChosen(batch, from, count, selection, kept, paneOf, paneOf[0]);
        }
      }
    }
    if (texts.size() > MAX_TEXTS) {
      forgetTexts();
    }
  }

  private void add(SpreadRows shares) {
    add(shares, 0, shares.rows(), shares.all, shares.rows(), shares.panes, shares.panes[0]);
  }

  /** Adds chosen rows; keys and arguments of few are not evaluated for all others, too. */
  private void addChosen(
      FlowBatch batch,
      int from,
      int count,
      int[] chosen,
      int n,
      Pane @Nullable [] paneOf,
      Pane pane) {
    if (n > count / FEW) {
      add(batch, from, count, chosen, n, paneOf, pane);
      return;
    }
    few.begin(batch, from);
    few.choose(chosen, n);
    add(few, 0, n, few.all, n, paneOf, pane);
  }

  /** Adds rows to the panes by row or, without {@code paneOf}, to one. */
  private void add(
      FlowRows rows,
      int from,
      int count,
      int[] chosen,
      int n,
      Pane @Nullable [] paneOf,
      Pane pane) {
    // Everything that may fail because of one query comes before any table gets these rows.
    while (!evaluate(rows, from, count)) {
      regroup(); // without the failed queries
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

  /** Works on each table; if that fails, removes the table's queries. */
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

  /** Fails all queries if the failure cannot be assigned to some. */
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

  /** Empties the tables and rebuilds those of the queries that have not failed. */
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

  /** Sends all groups of all panes, which stay; drops failed queries. Counters begin anew. */
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

  /** Restarts the numbering of texts; only the tables use the numbers, and they are empty. */
  private void forgetTexts() {
    each(LowLevelGrouping::drainAll);
    texts.clear();
  }

  /**
   * Sends groups of panes with most of their flows ahead; later flows go to another pane of the
   * same time. See {@link LowLevel#closePanesUpTo}.
   */
  void closePanesUpTo(long watermarkMicros) {
    long before = assignment.watermark;
    if (watermarkMicros <= before) {
      return;
    }
    assignment.reached(watermarkMicros);
    boolean goAhead = members.stream().anyMatch(LowLevelMember::goesAhead);
    panes.forEach(
        pane -> {
          long advanceAt = window.advanceAt(pane.fromWindowEnd);
          if (pane.closed) {
            return;
          }
          if (window.neededAt(pane.fromWindowEnd, pane.due) <= watermarkMicros) {
            close(pane);
          } else if (goAhead && advanceAt > before && advanceAt <= watermarkMicros) {
            panes.detach(pane);
            close(pane);
          }
        });
    panes.forgetDetached(watermarkMicros - window.latenessMicros());
    guarded(this::settle);
  }

  private void close(Pane pane) {
    pane.closed = true;
    closedPanes++;
    slotsToDrain = slots();
  }

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

  /** Drops closed panes without groups in the tables, once the sinks have all of them. */
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

  boolean isDrained() {
    return closedPanes == 0 || members.isEmpty();
  }

  /** Sends all groups away, of open panes too: before a barrier, or if there are too many. */
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

  ArrivedFlows arrived() {
    return arrived;
  }

  int panes() {
    return panes.size();
  }

  int tables() {
    return groupings.length;
  }

  LowLevelTuning tuning(LowLevelMember member) {
    LowLevelTuning all = LowLevelTuning.NONE;
    for (LowLevelGrouping grouping : groupings) {
      if (grouping.partsOf(member) > 0) {
        all = all.plus(grouping.tuning());
      }
    }
    return all;
  }

  /** The counts for a query since the tables were built, except those of sent groups. */
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
