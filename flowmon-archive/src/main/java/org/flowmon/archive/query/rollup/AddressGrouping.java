package org.flowmon.archive.query.rollup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.Threads;
import org.flowmon.archive.query.numbering.AddressBounds;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.group.OrderBound;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.result.AnswerColumns;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.value.ResultTable;

/**
 * Adds cells to groups if the address itself is the only key. One thread numbers the addresses of a
 * part over all sources: a cell finds its state by its id, and states stay in a core's cache.
 * Groups come in the order of addresses.
 *
 * <pre>
 *   ids of a source ─► numbers of the part ─► states ─► order of the answer
 * </pre>
 */
public final class AddressGrouping {
  // Addresses of a part: their states fit a core's second-level cache.
  private static final int ADDRESSES_PER_PART = 1 << 13;
  private static final int MIN_ADDRESSES = 1 << 10;
  private static final int PARTS_PER_THREAD = 4;

  private final RollupRule rule;
  private final FlowQuery query;
  private final List<CellSource> sources;
  private final List<AddressGroups> edges = new ArrayList<>();
  private final int threads;
  private final Deadline deadline;
  private final GroupMemory memory;
  private final boolean inKeyOrder;
  private final AnswerColumns columns;
  private final IpAddress[] bounds; // of parts: the start of the second, third, …
  private final AddressStates[] parts;
  private final AtomicInteger next = new AtomicInteger();

  /** {@code ofRows} are groups made from rows, read only; groups are charged to {@code memory}. */
  public AddressGrouping(
      RollupRule rule,
      List<? extends CellSource> sources,
      List<GroupTable> ofRows,
      int threads,
      Deadline deadline,
      GroupMemory memory) {
    this.memory = memory;
    this.rule = rule;
    this.query = rule.query();
    this.sources = List.copyOf(sources);
    ofRows.forEach(table -> edges.add(new AddressGroups(table)));
    this.threads = threads;
    this.deadline = deadline;
    this.inKeyOrder = isInKeyOrder(query);
    this.columns = new AnswerColumns(query, GroupLayout.of(query));
    this.bounds = chooseBounds();
    this.parts = new AddressStates[bounds.length + 1];
  }

  public static boolean answers(RollupRule rule, List<? extends CellSource> sources) {
    return rule.addressKey() == 0
        && rule.query().groupBy().size() == 1
        && !rule.asksForTimes()
        // Finding a few addresses in each source is faster than numbering all.
        && sources.stream().allMatch(source -> source.ids().isEmpty());
  }

  /** Whether the answer's order is that of addresses: ascending, NULL last. */
  private static boolean isInKeyOrder(FlowQuery query) {
    if (query.computesOverGroups()) {
      return false; // values computed from whole groups are computed in tables
    }
    if (query.orderBy().isEmpty()) {
      return true;
    }
    OrderItem first = query.orderBy().get(0);
    return first.what().equals(query.groupBy().get(0))
        && !first.descending()
        && !first.nullsFirst();
  }

  private IpAddress[] chooseBounds() {
    int[] sizes = sources.stream().mapToInt(AddressGrouping::size).toArray();
    int largest = Arrays.stream(sizes).max().orElseThrow();
    int least = threads == 1 ? 1 : threads * PARTS_PER_THREAD;
    int wanted = Math.max(largest / ADDRESSES_PER_PART, least);
    int count = Math.max(1, Math.min(wanted, largest / MIN_ADDRESSES));
    return AddressBounds.of(
        sizes, count, (source, id) -> sources.get(source).dictionary().address(id));
  }

  private static int size(CellSource source) {
    return source.rollup().nullId();
  }

  /** An answer and the number of cells read for it. */
  public record Answer(ResultTable table, long cells) {}

  public Answer answer() throws IOException {
    int useful = Math.max(1, Math.min(threads, parts.length));
    if (inKeyOrder) {
      List<Long> cells = Threads.run(useful, deadline, this::keepParts);
      return new Answer(write(useful), cells.stream().mapToLong(Long::longValue).sum());
    }
    List<CellGrouping.Part> done = Threads.run(useful, deadline, this::groupParts);
    GroupTable all = done.get(0).groups();
    for (CellGrouping.Part other : done.subList(1, done.size())) {
      all.append(other.groups());
    }
    return new Answer(
        new GroupAnswer(all, query, deadline::check).finish(),
        done.stream().mapToLong(CellGrouping.Part::cells).sum());
  }

  /** Keeps the groups of parts, which are in the order of the answer; returns the cells read. */
  private long keepParts() {
    AddressSummer summer = new AddressSummer(rule, sources, edges, false, deadline, memory);
    sumParts(
        summer,
        (states, p) -> {
          parts[p] = states;
          columns.inspect(states.states(), 0, summer.layout().stateWords(), states.size());
        });
    return summer.cells();
  }

  /** Puts the groups of parts that may be in the answer into a table. */
  private CellGrouping.Part groupParts() {
    AddressSummer summer = new AddressSummer(rule, sources, edges, true, deadline, memory);
    GroupTable mine = new GroupTable(summer.layout(), memory);
    GroupTable one = new GroupTable(summer.layout(), memory);
    OrderBound bound = OrderBound.of(query, summer.layout());
    sumParts(
        summer,
        (states, p) -> {
          states.appendTo(one, bound);
          int[] first = new GroupAnswer(one, query).first();
          if (bound != null) {
            bound.learn(one, first);
          }
          mine.append(one, first);
          one.clear();
        });
    return new CellGrouping.Part(mine, summer.cells());
  }

  /** Sums parts until none is left; {@code take} gets the groups and the number of each. */
  private void sumParts(AddressSummer summer, ObjIntConsumer<AddressStates> take) {
    for (int p = next.getAndIncrement(); p < parts.length; p = next.getAndIncrement()) {
      if (deadline.isCancelled()) {
        break;
      }
      deadline.check();
      Optional<IpAddress> first = p == 0 ? Optional.empty() : Optional.of(bounds[p - 1]);
      Optional<IpAddress> end = p == bounds.length ? Optional.empty() : Optional.of(bounds[p]);
      take.accept(summer.sum(first, end), p);
    }
  }

  private void takeColumns(long rows, boolean hasHighs) {
    long bytes = 1;
    for (int c = 0; c < columns.count(); c++) {
      bytes += columns.key(c) < 0 ? columns.bytesPerRow(c) : Long.BYTES * (hasHighs ? 2 : 1);
    }
    memory.take(rows * bytes);
  }

  private ResultTable write(int useful) throws IOException {
    long found = 0;
    boolean hasHighs = false;
    for (AddressStates part : parts) {
      found += part.size();
      hasHighs |= part.hasHighs();
    }
    int rows = ResultTable.rows(query.limit() < 0 ? found : Math.min(found, query.limit()));
    columns.setRows(rows);
    takeColumns(rows, hasHighs);
    boolean[] isNull = new boolean[parts[parts.length - 1].hasNull() ? rows : 0];
    for (int c = 0; c < columns.count(); c++) {
      if (columns.key(c) < 0) {
        columns.allocate(c);
      } else {
        columns.set(c, new long[rows], new long[hasHighs ? rows : 0], isNull);
      }
    }
    int[] firstRows = new int[parts.length + 1];
    for (int p = 0; p < parts.length; p++) {
      firstRows[p + 1] = Math.min(rows, firstRows[p] + parts[p].size());
    }
    next.set(0);
    Threads.run(useful, deadline, () -> writeParts(firstRows));
    return columns.build();
  }

  private Void writeParts(int[] firstRows) {
    for (int p = next.getAndIncrement(); p < parts.length; p = next.getAndIncrement()) {
      deadline.check();
      parts[p].writeTo(columns, firstRows[p], firstRows[p + 1] - firstRows[p]);
    }
    return null;
  }
}
