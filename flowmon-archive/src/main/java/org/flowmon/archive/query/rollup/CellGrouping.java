package org.flowmon.archive.query.rollup;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.numbering.AddressBounds;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupAnswer;

/**
 * Adds cells to the groups made from rows. If the address is a key, one thread at a time has all
 * groups of a part of the addresses: its table stays in a core's cache, nothing is merged
 * afterwards, and only the first groups of each part are kept. Else there are few groups, and each
 * thread takes sources. Threads share it.
 */
public final class CellGrouping {
  // Cells of a part: its groups fit a core's second-level cache.
  public static final int CELLS_PER_PART = 1 << 14;
  private static final int MAX_PARTS = 256;

  private final RollupRule rule;
  private final FlowQuery query;
  private final List<CellSource> sources;
  private final List<GroupTable> ofRows;
  private final Deadline deadline;
  private final GroupMemory memory;
  private final IpAddress[] bounds; // of parts: the start of the second, third, …
  private final AtomicInteger next = new AtomicInteger();

  /** {@code ofRows} are groups made from rows, read only; groups are charged to {@code memory}. */
  public CellGrouping(
      RollupRule rule,
      List<? extends CellSource> sources,
      List<GroupTable> ofRows,
      Deadline deadline,
      GroupMemory memory) {
    this.memory = memory;
    this.rule = rule;
    this.query = rule.query();
    this.sources = List.copyOf(sources);
    this.ofRows = ofRows;
    this.deadline = deadline;
    this.bounds = rule.canBePartitioned() ? chooseBounds() : new IpAddress[0];
  }

  public int parts() {
    return rule.canBePartitioned() ? bounds.length + 1 : sources.size();
  }

  private IpAddress[] chooseBounds() {
    long cells = 0;
    for (CellSource one : sources) {
      cells += one.ids().isEmpty() ? one.cells() : 0;
    }
    int parts = (int) Math.max(1, Math.min(MAX_PARTS, cells / CELLS_PER_PART));
    int[] sizes = sources.stream().mapToInt(CellGrouping::size).toArray();
    return AddressBounds.of(
        sizes, parts, (source, id) -> sources.get(source).dictionary().address(id));
  }

  private static int size(CellSource source) {
    return source.rollup().nullId();
  }

  /** The result of one thread. */
  public record Part(GroupTable groups, long cells) {}

  public Part run() {
    CellCollector collector = new CellCollector(rule, deadline);
    GroupTable groups = new GroupTable(collector.layout(), memory);
    int parts = parts();
    GroupTable one = bounds.length == 0 ? groups : new GroupTable(collector.layout(), memory);
    for (int p = next.getAndIncrement(); p < parts; p = next.getAndIncrement()) {
      if (deadline.isCancelled()) {
        break;
      }
      deadline.check();
      if (!rule.canBePartitioned()) {
        CellSource source = sources.get(p);
        addAll(collector, source, groups);
      } else {
        fill(collector, p, one);
        if (one != groups) {
          groups.append(one, new GroupAnswer(one, query).first());
          one.clear();
        }
      }
    }
    return new Part(groups, collector.cells());
  }

  public static void addAll(CellCollector collector, CellSource source, GroupTable groups) {
    add(collector, source, 0, size(source) + 1, groups);
  }

  private static void add(
      CellCollector collector, CellSource source, int from, int to, GroupTable groups) {
    try {
      collector.add(source, from, to, groups);
    } catch (SegmentCorruptException e) {
      throw source.damaged(String.valueOf(e.getMessage()));
    }
  }

  private void fill(CellCollector collector, int part, GroupTable groups) {
    for (CellSource source : sources) {
      int from = part == 0 ? 0 : source.dictionary().lowerBound(bounds[part - 1]);
      int to =
          part == bounds.length ? size(source) + 1 : source.dictionary().lowerBound(bounds[part]);
      if (from < to) {
        add(collector, source, from, to, groups);
      }
    }
    long[] address = new long[2];
    for (GroupTable table : ofRows) {
      int[] mine = new int[table.size()];
      int n = 0;
      for (int group = 0; group < table.size(); group++) {
        boolean known = table.readAddress(group, rule.addressKey(), address);
        mine[n] = group;
        n += isIn(part, known, address) ? 1 : 0;
      }
      groups.merge(table, mine, n);
    }
  }

  /** Groups without an address are in the last part, like the id of NULL. */
  private boolean isIn(int part, boolean known, long[] address) {
    if (!known || bounds.length == 0) {
      return part == bounds.length;
    }
    return (part == 0 || compare(address, bounds[part - 1]) >= 0)
        && (part == bounds.length || compare(address, bounds[part]) < 0);
  }

  private static int compare(long[] address, IpAddress bound) {
    return IpAddress.compare(address[0], address[1], bound.hi(), bound.lo());
  }

  /** If groups can be kept apart, only the first of each part. */
  public GroupTable groups(List<Part> done) {
    GroupTable all = done.get(0).groups();
    if (rule.canBePartitioned()) {
      for (Part part : done.subList(1, done.size())) {
        all.append(part.groups());
      }
      return all;
    }
    List<GroupTable> others = new ArrayList<>(ofRows);
    done.subList(1, done.size()).forEach(part -> others.add(part.groups()));
    others.forEach(all::merge);
    return all;
  }
}
