package org.flowmon.udaf.table;

import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The low level of one live query: filters flows, puts them into panes and reduces them in a table
 * of fixed size. What the table gives up, because of a collision or because its pane is closed,
 * goes to the sink as partial groups.
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
  private final CompiledPredicate filter;
  private final CompiledExpression[] keys;
  private final Vector[] keyVectors;
  private final CompiledExpression[] arguments;
  private final Vector[] argumentVectors;
  private final TextDictionary texts = new TextDictionary();
  private final KeyColumns keyColumns;
  private final PaneSet panes;
  private final PaneAssignment assignment;
  private final PartialOutput output;
  private final LowLevelTable table;
  private final int[] selection = new int[Vector.CAPACITY];

  private int slotsToDrain;
  private int closedPanes;
  private long flows;
  private long selected;
  private long counted;

  /**
   * The low level of a query, with no flows yet.
   *
   * @param queryId stands in the header of all partial groups
   * @param live aggregated and bound
   * @param slots of the table, rounded up to a power of two
   * @param maxParallelism number of key groups, 1 … 32,768
   */
  public LowLevelQuery(
      long queryId,
      FlowQuery live,
      WindowSpec window,
      int slots,
      int maxParallelism,
      PartialSink sink) {
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
    GroupLayout layout = GroupLayout.of(live);
    this.window = window;
    this.filter = CompiledPredicate.of(live.where());
    this.keys = GroupCollector.compile(layout.keys());
    this.keyVectors = GroupCollector.vectors(keys);
    this.arguments = GroupCollector.compile(layout.arguments());
    this.argumentVectors = GroupCollector.vectors(arguments);
    this.keyColumns = new KeyColumns(layout, texts);
    this.panes = new PaneSet(maxParallelism);
    this.assignment = new PaneAssignment(window, panes);
    this.output = new PartialOutput(queryId, layout, texts, maxParallelism, sink);
    this.table = new LowLevelTable(layout, keyColumns, panes, slots, output);
  }

  /** Takes a batch; evicted groups may go to the sink. */
  public void process(FlowBatch batch) {
    flows += batch.rows();
    if (batch.rows() == 0) {
      return;
    }
    Pane single = assignment.single(batch);
    for (int from = 0; from < batch.rows(); from += Vector.CAPACITY) {
      int count = Math.min(Vector.CAPACITY, batch.rows() - from);
      int n = filter.select(batch, from, count, selection);
      selected += n;
      if (n > 0 && single == null) {
        n = assignment.assign(batch, from, count, selection, n);
      }
      if (n > 0) {
        counted += n;
        evaluate(batch, from, selection[n - 1] + 1);
        table.add(argumentVectors, selection, n, single == null ? assignment.paneOf : null, single);
      }
    }
    if (texts.size() > MAX_TEXTS) {
      forgetTexts();
    }
  }

  private void evaluate(FlowBatch batch, int from, int count) {
    for (int k = 0; k < keys.length; k++) {
      keys[k].evaluate(batch, from, count, keyVectors[k]);
    }
    for (int a = 0; a < arguments.length; a++) {
      arguments[a].evaluate(batch, from, count, argumentVectors[a]);
    }
    keyColumns.load(keyVectors, count);
  }

  /** Texts are numbered for the table's sake: once it is empty, the numbers can begin anew. */
  private void forgetTexts() {
    table.drain(table.slots(), true);
    texts.clear();
  }

  /**
   * Closes all panes whose flows have all arrived: no flow with an arrival at or before this will
   * come any more.
   */
  public void closePanesUpTo(long watermarkMicros) {
    if (watermarkMicros <= assignment.watermark) {
      return;
    }
    assignment.watermark = watermarkMicros;
    panes.forEach(
        pane -> {
          if (!pane.closed && window.isClosed(pane.fromWindowEnd, watermarkMicros)) {
            pane.closed = true;
            closedPanes++;
            slotsToDrain = table.slots();
          }
        });
    settle();
  }

  /**
   * Looks at up to {@code slots} slots for groups of closed panes and sends them away.
   *
   * @return whether all closed panes are out, as {@link #isDrained}
   */
  public boolean drainSome(int slots) {
    if (closedPanes > 0) {
      int some = Math.min(slots, slotsToDrain);
      table.drain(some, false);
      slotsToDrain -= some;
      settle();
    }
    return isDrained();
  }

  /** Forgets closed panes that have nothing left in the table, once the sink has all of them. */
  private void settle() {
    if (closedPanes == 0) {
      return;
    }
    panes.forEach(
        pane -> {
          if (pane.closed && pane.slots == 0) {
            output.flush(pane);
            panes.remove(pane);
            closedPanes--;
          }
        });
  }

  /**
   * Whether the sink has everything of the closed panes: the watermark that closed them may go on.
   */
  public boolean isDrained() {
    return closedPanes == 0;
  }

  /** Sends everything away, of open panes too: before a barrier. */
  public void drainAll() {
    table.drain(table.slots(), true);
    panes.forEach(
        pane -> {
          output.flush(pane);
          panes.remove(pane);
        });
    closedPanes = 0;
    slotsToDrain = 0;
    texts.clear();
  }

  /** Panes that it holds groups of. */
  public int panes() {
    return panes.size();
  }

  /** Counters since this was made. */
  public LowLevelCounts counts() {
    return new LowLevelCounts(
        flows,
        selected,
        counted,
        assignment.late,
        assignment.partlyLate,
        assignment.ahead,
        assignment.behindWatermark,
        table.evictions(),
        output.partials,
        output.messages);
  }
}
