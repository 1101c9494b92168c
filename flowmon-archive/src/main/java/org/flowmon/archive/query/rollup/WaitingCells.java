package org.flowmon.archive.query.rollup;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;

/**
 * The cells that one thread found. They wait until those of all segments are added up together;
 * beyond some segments they go to groups at once, since a process maps only so many files.
 */
public final class WaitingCells {
  public static final int MAX_WAITING = 256;

  private final RollupRule rule;
  private final Deadline deadline;
  private final GroupMemory memory;
  private final List<SegmentCells> waiting = new ArrayList<>();
  private Optional<AtOnce> atOnce = Optional.empty();

  /** Groups of cells that do not wait. */
  private record AtOnce(CellCollector collector, GroupTable groups) {}

  public WaitingCells(RollupRule rule, Deadline deadline, GroupMemory memory) {
    this.rule = rule;
    this.deadline = deadline;
    this.memory = memory;
  }

  public RollupRule rule() {
    return rule;
  }

  /** Takes cells, and the lease that they hold. */
  public void take(SegmentCells cells) {
    if (waiting.size() < MAX_WAITING) {
      waiting.add(cells);
      return;
    }
    try (SegmentLease lease = cells.lease()) {
      if (atOnce.isEmpty()) {
        CellCollector collector = new CellCollector(rule, deadline);
        atOnce = Optional.of(new AtOnce(collector, new GroupTable(collector.layout(), memory)));
      }
      CellGrouping.addAll(atOnce.get().collector(), cells, atOnce.get().groups());
    }
  }

  public List<SegmentCells> waiting() {
    return waiting;
  }

  public Optional<GroupTable> groups() {
    return atOnce.map(AtOnce::groups);
  }

  public long cellsRead() {
    return atOnce.map(some -> some.collector().cells()).orElse(0L);
  }

  /** Closes the segments of all waiting cells, as {@link SegmentLease#closeAll}. */
  public static void closeAll(Collection<WaitingCells> all) {
    SegmentLease.closeAll(
        all.stream().flatMap(some -> some.waiting.stream()).map(SegmentCells::lease).toList());
  }
}
