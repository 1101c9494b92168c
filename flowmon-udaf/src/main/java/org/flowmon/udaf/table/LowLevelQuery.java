package org.flowmon.udaf.table;

import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.SharedSelection;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The low level of one live query: filters flows, puts them into panes and reduces them in a table
 * of fixed size. What the table gives up, because of a collision or because its pane is closed,
 * goes to the sink as partial groups. A query with COUNT(DISTINCT …) has a table for each of its
 * {@link LiveGroupings}.
 *
 * <p>Once {@link #isDrained}, the sink has all of every closed pane; after {@link #drainAll} it has
 * everything and this holds no state. Not thread-safe.
 */
public final class LowLevelQuery {
  /** Slots of a table that stays within a core's second-level cache. */
  public static final int DEFAULT_SLOTS = 8192;

  /** Key groups where nothing else is said; Flink's default maximum parallelism. */
  public static final int DEFAULT_MAX_PARALLELISM = 128;

  private static final int MAX_PARALLELISM = 1 << 15;
  private static final int MAX_SLOTS = 1 << 22;
  private static final int MAX_TEXTS = 1 << 16;

  private final WindowSpec window;
  private final SharedSelection filter;
  private final TextDictionary texts = new TextDictionary();
  private final PaneSet panes;
  private final PaneAssignment assignment;
  // Null where flows are not divided.
  private final SpreadAssignment spread;
  private final LowLevelGrouping[] groupings;
  private final int tableSlots;
  private final int[] selection = new int[Vector.CAPACITY];

  private final SampledFlows sampled = new SampledFlows();
  private int slotsToDrain;
  private int closedPanes;
  private long flows;
  private long selected;
  private long counted;

  /**
   * The low level of a query, with no flows yet.
   *
   * @param queryId stands in the header of all partial groups
   * @param query aggregated and bound
   * @param slots of each table, rounded up to a power of two
   * @param maxParallelism number of key groups, 1 … 32,768
   */
  public LowLevelQuery(
      long queryId,
      FlowQuery query,
      WindowSpec window,
      int slots,
      int maxParallelism,
      PartialSink sink) {
    this(queryId, query, window, slots, maxParallelism, sink, new SharedEvaluation());
  }

  /**
   * Likewise, of a query that takes the same batches as others.
   *
   * @param evaluation what they find out once
   */
  public LowLevelQuery(
      long queryId,
      FlowQuery query,
      WindowSpec window,
      int slots,
      int maxParallelism,
      PartialSink sink,
      SharedEvaluation evaluation) {
    if (slots < 1 || slots > MAX_SLOTS || maxParallelism < 1 || maxParallelism > MAX_PARALLELISM) {
      throw new IllegalArgumentException(
          slots
              + " slots and "
              + maxParallelism
              + " key groups: expected 1 … "
              + MAX_SLOTS
              + " and 1 … "
              + MAX_PARALLELISM);
    }
    LiveGroupings live = LiveGroupings.of(query);
    this.window = window;
    this.filter = evaluation.expressions().filter(query.where());
    this.groupings = new LowLevelGrouping[live.groupings().size()];
    this.panes = new PaneSet(groupings.length * maxParallelism);
    this.assignment = new PaneAssignment(window, panes);
    this.spread = window.spread() ? new SpreadAssignment(window, assignment) : null;
    for (int g = 0; g < groupings.length; g++) {
      GroupLayout layout = live.groupings().get(g);
      PartialOutput output = new PartialOutput(queryId, layout, g, texts, maxParallelism, sink);
      groupings[g] =
          new LowLevelGrouping(layout, live.leadingKeys(), texts, panes, slots, output, evaluation);
    }
    this.tableSlots = groupings[0].slots();
  }

  /** Takes a batch; evicted groups may go to the sink. */
  public void process(FlowBatch batch) {
    flows += batch.rows();
    sampled.clear();
    if (batch.rows() == 0) {
      return;
    }
    Pane single = spread == null ? assignment.single(batch) : null;
    for (int from = 0; from < batch.rows(); from += Vector.CAPACITY) {
      int count = Math.min(Vector.CAPACITY, batch.rows() - from);
      int n = filter.select(batch, from, count);
      int[] chosen = filter.rows();
      selected += n;
      sampled.add(batch, from, chosen, n);
      if (spread != null) {
        counted += spread.assign(batch, from, count, chosen, n, this::add);
        continue;
      }
      if (n > 0 && single == null) {
        System.arraycopy(chosen, 0, selection, 0, n); // what was chosen may be others', too
        chosen = selection;
        n = assignment.assign(batch, from, count, selection, n);
      }
      if (n > 0) {
        counted += n;
        Pane[] paneOf = single == null ? assignment.paneOf : null;
        for (LowLevelGrouping grouping : groupings) {
          grouping.add(batch, from, count, chosen, n, paneOf, single);
        }
      }
    }
    if (texts.size() > MAX_TEXTS) {
      forgetTexts();
    }
  }

  private void add(SpreadRows shares) {
    for (LowLevelGrouping grouping : groupings) {
      grouping.add(shares, 0, shares.rows(), shares.all, shares.rows(), shares.panes, null);
    }
  }

  /** Texts are numbered for the tables' sake: once they are empty, the numbers can begin anew. */
  private void forgetTexts() {
    drain(tableSlots, true);
    texts.clear();
  }

  private void drain(int slots, boolean all) {
    for (LowLevelGrouping grouping : groupings) {
      grouping.drain(slots, all);
    }
  }

  /**
   * Closes all panes whose flows have all arrived, as no flow with an arrival at or before this
   * will come any more, and that a window's result needs by then.
   */
  public void closePanesUpTo(long watermarkMicros) {
    if (watermarkMicros <= assignment.watermark) {
      return;
    }
    assignment.watermark = watermarkMicros;
    panes.forEach(
        pane -> {
          if (!pane.closed && window.neededAt(pane.fromWindowEnd, pane.due) <= watermarkMicros) {
            pane.closed = true;
            closedPanes++;
            slotsToDrain = tableSlots;
          }
        });
    settle();
  }

  /**
   * Looks at up to {@code slots} slots of each table for groups of closed panes and sends them
   * away.
   *
   * @return whether all closed panes are out, as {@link #isDrained}
   */
  public boolean drainSome(int slots) {
    if (closedPanes > 0) {
      int some = Math.min(slots, slotsToDrain);
      drain(some, false);
      slotsToDrain -= some;
      settle();
    }
    return isDrained();
  }

  /** Forgets closed panes that have nothing left in the tables, once the sink has all of them. */
  private void settle() {
    if (closedPanes == 0) {
      return;
    }
    panes.forEach(
        pane -> {
          if (pane.closed && pane.slots == 0) {
            send(pane);
            closedPanes--;
          }
        });
  }

  private void send(Pane pane) {
    for (LowLevelGrouping grouping : groupings) {
      grouping.flush(pane);
    }
    panes.remove(pane);
  }

  /**
   * Whether the sink has everything of the closed panes: the watermark that closed them may go on.
   */
  public boolean isDrained() {
    return closedPanes == 0;
  }

  /** Sends everything away, of open panes too: before a barrier. */
  public void drainAll() {
    drain(tableSlots, true);
    panes.forEach(this::send);
    closedPanes = 0;
    slotsToDrain = 0;
    texts.clear();
  }

  /** Flows of the last batch that the filter kept and that come from sampled packets. */
  public long sampledOfBatch() {
    return sampled.flows();
  }

  /** The highest of their sampling rates, one of so many packets; 0 without one. */
  public long samplingRateOfBatch() {
    return sampled.highestRate();
  }

  /** Panes that it holds groups of. */
  public int panes() {
    return panes.size();
  }

  /** Counters since this was made. */
  public LowLevelCounts counts() {
    long evictions = 0;
    long passedRows = 0;
    long partials = 0;
    long messages = 0;
    for (LowLevelGrouping grouping : groupings) {
      evictions += grouping.evictions();
      passedRows += grouping.passedRows();
      partials += grouping.partials();
      messages += grouping.messages();
    }
    return new LowLevelCounts(
        flows,
        selected,
        counted,
        assignment.late,
        assignment.partlyLate,
        assignment.ahead,
        assignment.behindWatermark,
        evictions,
        passedRows,
        partials,
        messages);
  }
}
