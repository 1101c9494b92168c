package org.flowmon.archive.query;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.QueryPlan.Work;
import org.flowmon.archive.query.group.Grouper;
import org.flowmon.archive.query.group.ListGrouping;
import org.flowmon.archive.query.group.RowCollector;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.plan.SegmentAccesses;
import org.flowmon.archive.query.rollup.AddressGrouping;
import org.flowmon.archive.query.rollup.CellGrouping;
import org.flowmon.archive.query.rollup.CellSource;
import org.flowmon.archive.query.rollup.DamagedCellsException;
import org.flowmon.archive.query.rollup.WaitingCells;
import org.flowmon.archive.query.scan.ColumnBytes;
import org.flowmon.archive.query.scan.SegmentPiece;
import org.flowmon.archive.query.scan.SegmentWorker;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.result.RowLookup;
import org.flowmon.udaf.value.ResultTable;

/** Runs a plan, on one or more threads. */
final class QueryRun {
  private static final GroupAnswer.WithBounds NO_ROWS =
      new GroupAnswer.WithBounds(new ResultTable.Builder().build(), List.of());

  private final QueryPlan plan;
  private final FlowQuery query;
  private final QueryOptions options;
  private final Deadline deadline;
  private final GroupMemory memory;
  private final AtomicInteger next = new AtomicInteger();
  private final Queue<WaitingCells> waiting = new ConcurrentLinkedQueue<>();
  private final Optional<GroupSink> parts;

  QueryRun(QueryPlan plan, Deadline deadline, GroupMemory memory) {
    this(plan, deadline, memory, Optional.empty());
  }

  /** A run whose groups, if it has some, go to {@code parts} in place of an answer. */
  QueryRun(QueryPlan plan, Deadline deadline, GroupMemory memory, Optional<GroupSink> parts) {
    this.parts = parts;
    this.plan = plan;
    this.query = plan.query();
    this.options = plan.options();
    this.deadline = deadline;
    this.memory = memory;
  }

  /**
   * Throws {@link DamagedCellsException} if cells turn out to be damaged.
   *
   * @throws org.flowmon.archive.query.group.DamagedListException if a posting list does, after
   *     others are in groups
   */
  QueryAnswer answer() throws IOException {
    deadline.check();
    if (plan.work() instanceof Work.Rows rows) {
      return rows.areShared() && !plan.isEmpty() ? pieceByPiece() : inOrder();
    } else if (plan.work() instanceof Work.Cells cells) {
      return cells(cells);
    } else if (plan.work() instanceof Work.Lists lists) {
      return lists(lists.grouping());
    }
    return groups(((Work.Groups) plan.work()).groupers());
  }

  private QueryAnswer inOrder() throws IOException {
    RowLookup lookup = new RowLookup(query, memory);
    List<SegmentWorker> workers =
        plan.isEmpty() ? List.of() : List.of(work(Optional.empty(), new LookupCollector(lookup)));
    return answer(workers, lookup.finish(deadline::check));
  }

  private QueryAnswer pieceByPiece() throws IOException {
    RowLookup[] lookups = new RowLookup[plan.pieces().size()];
    Arrays.setAll(lookups, piece -> new RowLookup(query, memory));
    List<SegmentWorker> workers =
        Threads.run(
            plan.threads(), deadline, () -> work(Optional.empty(), new LookupCollector(lookups)));
    return answer(workers, RowLookup.finish(List.of(lookups), this::eachColumn, deadline::check));
  }

  private QueryAnswer answer(List<SegmentWorker> workers, ResultTable rows) {
    return answer(workers, new GroupAnswer.WithBounds(rows, List.of()), 0);
  }

  private void eachColumn(int columns, IntConsumer work) {
    AtomicInteger nextColumn = new AtomicInteger();
    try {
      Threads.run(
          Math.min(options.threads(), columns),
          deadline,
          () -> eachColumn(nextColumn, columns, work));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // no column reads a file
    }
  }

  private Void eachColumn(AtomicInteger nextColumn, int columns, IntConsumer work) {
    for (int c = nextColumn.getAndIncrement(); c < columns; c = nextColumn.getAndIncrement()) {
      deadline.check();
      work.accept(c);
    }
    return null;
  }

  private QueryAnswer groups(List<Grouper> groupers) throws IOException {
    List<SegmentWorker> workers =
        plan.isEmpty()
            ? List.of()
            : Threads.run(
                plan.threads(),
                deadline,
                () ->
                    work(
                        Optional.empty(),
                        RowCollector.ofAll(groupers.stream().map(Grouper::collector).toList())));
    return grouped(workers, groupers);
  }

  /** The groups of the only grouping, or of the query that counts those of all. */
  private QueryAnswer grouped(List<SegmentWorker> workers, List<? extends Grouper> groupers)
      throws IOException {
    if (parts.isPresent()) {
      for (int g = 0; g < groupers.size(); g++) {
        int grouping = g;
        groupers.get(g).groups(some -> parts.get().groups(grouping, some), deadline);
      }
      return answer(workers, NO_ROWS, 0);
    }
    Optional<DistinctCounts> counts = plan.groupings().counts();
    if (counts.isEmpty()) {
      return answer(workers, groupers.get(0).answer(options.threads(), deadline), 0);
    }
    GroupTable counted = counts.get().newTable(memory);
    for (int g = 0; g < groupers.size(); g++) {
      groupers.get(g).count(counts.get(), g, counted, options.threads(), deadline);
    }
    return answer(workers, counts.get().answer(counted), 0);
  }

  /** What is closed whatever happens; if that fails, too, the first failure has it. */
  private interface Closing extends AutoCloseable {
    @Override
    void close();
  }

  /** Adds up cells, and rows in whose place there are none. */
  private QueryAnswer cells(Work.Cells work) throws IOException {
    // When it is closed no thread reads any more, however they ended.
    try (Closing closing = () -> WaitingCells.closeAll(waiting)) {
      List<SegmentWorker> workers =
          plan.isEmpty()
              ? List.of()
              : Threads.run(plan.threads(), deadline, () -> collectCells(work));
      List<CellSource> sources = new ArrayList<>(plan.days().cells());
      List<GroupTable> tables = new ArrayList<>(work.edges().tables());
      long atOnce = 0;
      for (WaitingCells some : waiting) {
        sources.addAll(some.waiting());
        some.groups().ifPresent(tables::add);
        atOnce += some.cellsRead();
      }
      if (sources.isEmpty()) {
        return grouped(workers, List.of(work.edges()));
      }
      return summed(work.rule(), workers, sources, tables, atOnce);
    }
  }

  private SegmentWorker collectCells(Work.Cells work) throws IOException {
    WaitingCells mine = new WaitingCells(work.rule(), deadline, memory);
    waiting.add(mine);
    return work(Optional.of(mine), work.edges().collector());
  }

  private QueryAnswer summed(
      RollupRule rule,
      List<SegmentWorker> workers,
      List<CellSource> sources,
      List<GroupTable> ofRows,
      long atOnce)
      throws IOException {
    Optional<DistinctCounts> counts = plan.groupings().counts();
    if (parts.isEmpty() && counts.isEmpty() && AddressGrouping.answers(rule, sources)) {
      AddressGrouping.Answer answer =
          new AddressGrouping(rule, sources, ofRows, options.threads(), deadline, memory).answer();
      return answer(
          workers, new GroupAnswer.WithBounds(answer.table(), List.of()), atOnce + answer.cells());
    }
    CellGrouping grouping = new CellGrouping(rule, sources, ofRows, deadline, memory);
    int threads = Math.max(1, Math.min(options.threads(), grouping.parts()));
    List<CellGrouping.Part> summed = Threads.run(threads, deadline, grouping::run);
    GroupTable groups = grouping.groups(summed);
    long cells = atOnce + summed.stream().mapToLong(CellGrouping.Part::cells).sum();
    if (parts.isPresent()) {
      parts.get().groups(0, groups);
      return answer(workers, NO_ROWS, cells);
    }
    GroupTable answered = groups;
    if (counts.isPresent()) {
      answered = counts.get().newTable(memory);
      counts.get().count(0, groups, answered, deadline::check);
    }
    return answer(workers, new GroupAnswer(answered, query).finishWithBounds(), cells);
  }

  private QueryAnswer lists(ListGrouping lists) throws IOException {
    ColumnBytes columns = new ColumnBytes(query, plan.whereAsOf());
    double bytesOfRow =
        lists.leases().stream()
            .mapToDouble(lease -> columns.ofRow(lease.rows()))
            .average()
            .orElse(0);
    IntConsumer read =
        n -> {
          deadline.check();
          deadline.read(n);
          deadline.bytesRead((long) (n * bytesOfRow));
        };
    Optional<DistinctCounts> counts = plan.groupings().counts();
    GroupAnswer.WithBounds answer;
    if (counts.isEmpty()) {
      answer = lists.answer(read, deadline);
    } else {
      GroupTable counted = counts.get().newTable(memory);
      lists.count(counts.get(), counted, read, deadline);
      answer = counts.get().answer(counted);
    }
    return new QueryAnswer(
        answer.rows(),
        QueryStats.of(plan, lists.accesses(bytesOfRow), 0, plan.choice().warnings(), deadline),
        answer.bounds());
  }

  private SegmentWorker work(Optional<WaitingCells> cells, RowCollector collector)
      throws IOException {
    SegmentWorker worker =
        new SegmentWorker(
            new ColumnBytes(query, plan.whereAsOf()),
            query.where(),
            plan.whereAsOf(),
            options.asOfArrival(),
            cells,
            collector,
            deadline);
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    List<SegmentPiece> pieces = plan.pieces();
    try {
      for (int i = next.getAndIncrement(); i < pieces.size(); i = next.getAndIncrement()) {
        SegmentPiece piece = pieces.get(i);
        SealedSegment segment = piece.segment();
        boolean isDone =
            worker.areTimesKnown() && plan.order().isDone(worker.rowsMatched(), min, max, segment);
        if (deadline.isCancelled() || collector.isComplete() || isDone) {
          break;
        }
        deadline.check();
        if (collector instanceof LookupCollector lookup) {
          lookup.begin(i);
        }
        SegmentLease lease = plan.archives().open(segment);
        long bytes = worker.run(lease, piece, plan.days().rest(segment));
        min = Math.min(min, segment.endTime().min());
        max = Math.max(max, segment.endTime().max());
        deadline.pieceDone(piece.isFirst(), bytes);
      }
      collector.end();
      return worker;
    } catch (IOException | RuntimeException | Error e) {
      deadline.cancel();
      throw e;
    }
  }

  private QueryAnswer answer(
      List<SegmentWorker> workers, GroupAnswer.WithBounds answer, long cells) {
    SegmentAccesses accesses = new SegmentAccesses();
    Set<String> warnings = new LinkedHashSet<>(plan.choice().warnings());
    warnings.addAll(plan.days().warnings());
    for (SegmentWorker worker : workers) {
      accesses.addAll(worker.accesses());
      warnings.addAll(worker.warnings());
    }
    return new QueryAnswer(
        answer.rows(), QueryStats.of(plan, accesses, cells, warnings, deadline), answer.bounds());
  }
}
