package org.flowmon.archive.query.rollup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
        && sources.stream().allMatch(source -> source.ids() == null);
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

  /** A thread's result; {@code groups} is null if the answer is in the order of addresses. */
  private record Done(GroupTable groups, long cells) {}

  /** An answer and the number of cells read for it. */
  public record Answer(ResultTable table, long cells) {}

  public Answer answer() throws IOException {
    int useful = Math.max(1, Math.min(threads, parts.length));
    List<Done> done = Threads.run(useful, deadline, this::addParts);
    long cells = done.stream().mapToLong(Done::cells).sum();
    if (!inKeyOrder) {
      GroupTable all = done.get(0).groups();
      for (Done other : done.subList(1, done.size())) {
        all.append(other.groups());
      }
      return new Answer(new GroupAnswer(all, query, deadline::check).finish(), cells);
    }
    return new Answer(write(useful), cells);
  }

  private Done addParts() {
    AddressSummer summer = new AddressSummer(rule, sources, edges, !inKeyOrder, deadline, memory);
    GroupTable mine = inKeyOrder ? null : new GroupTable(summer.layout(), memory);
    GroupTable one = inKeyOrder ? null : new GroupTable(summer.layout(), memory);
    OrderBound bound = OrderBound.of(query, summer.layout());
    for (int p = next.getAndIncrement(); p < parts.length; p = next.getAndIncrement()) {
      if (deadline.isCancelled()) {
        break;
      }
      deadline.check();
      AddressStates states =
          summer.sum(p == 0 ? null : bounds[p - 1], p == bounds.length ? null : bounds[p]);
      if (inKeyOrder) {
        parts[p] = states;
        columns.inspect(states.states(), 0, summer.layout().stateWords(), states.size());
        continue;
      }
      states.appendTo(one, bound);
      int[] first = new GroupAnswer(one, query).first();
      if (bound != null) {
        bound.learn(one, first);
      }
      mine.append(one, first);
      one.clear();
    }
    return new Done(mine, summer.cells());
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
    Threads.run(
        useful,
        deadline,
        () -> {
          for (int p = next.getAndIncrement(); p < parts.length; p = next.getAndIncrement()) {
            deadline.check();
            parts[p].writeTo(columns, firstRows[p], firstRows[p + 1] - firstRows[p]);
          }
          return null;
        });
    return columns.build();
  }
}
