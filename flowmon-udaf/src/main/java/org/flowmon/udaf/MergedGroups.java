package org.flowmon.udaf;

import java.util.List;
import java.util.Optional;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.partial.TablePartials;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;

/**
 * A query over flows whose groups are made in parts: each has partial groups of the {@linkplain
 * DistinctCounts#groupings groupings} of some flows, in key groups.
 *
 * <pre>
 *   partial groups of some flows ─► those of a key group, merged ─► its rows that HAVING keeps and
 *     that may be within ORDER BY … LIMIT ─► the answer, of all key groups
 * </pre>
 *
 * <p>Not thread-safe.
 */
public final class MergedGroups {
  private final FlowQuery query;
  private final GroupMemory memory;
  private final Optional<DistinctCounts> counts;
  private final GroupTable[] tables;
  private final PartialMerge[] merges;

  /** Without groups; they are charged to {@code memory}. */
  public MergedGroups(FlowQuery query, GroupMemory memory) {
    this.query = query;
    this.memory = memory;
    this.counts = Optional.ofNullable(DistinctCounts.of(query));
    List<GroupLayout> layouts =
        counts
            .map(all -> all.groupings().stream().map(GroupLayout::of).toList())
            .orElseGet(() -> List.of(GroupLayout.of(query)));
    this.tables = new GroupTable[layouts.size()];
    this.merges = new PartialMerge[layouts.size()];
    for (int g = 0; g < tables.length; g++) {
      tables[g] = new GroupTable(layouts.get(g), memory);
      merges[g] = new PartialMerge(layouts.get(g));
    }
  }

  /** Throws {@link PartialFormatException} if they are of another query, or damaged. */
  public void merge(byte[] partialGroups) {
    PartialGroups groups = PartialGroups.open(partialGroups);
    if (groups.grouping() >= tables.length) {
      throw new PartialFormatException(
          "partial groups of grouping " + groups.grouping() + ", the query has " + tables.length);
    }
    merges[groups.grouping()].into(tables[groups.grouping()], groups);
  }

  /** The rows of the merged groups, as partial groups; call it once, after the last merge. */
  public List<byte[]> rows() {
    GroupTable own = tables[0];
    if (counts.isPresent()) {
      own = counts.get().newTable(memory);
      for (int g = 0; g < tables.length; g++) {
        counts.get().count(g, tables[g], own);
      }
    }
    // Without keys there is one group, which is kept: HAVING would make one of no rows of it.
    boolean keepsAll = query.groupBy().isEmpty() || query.keepsAllGroups();
    GroupTable kept = own;
    if (!keepsAll) {
      int[] first = new GroupAnswer(own, query).first();
      kept = new GroupTable(own.layout(), memory);
      kept.merge(own, first, first.length);
    }
    return TablePartials.of(kept, 0, 0, 0, 0, 0, 0);
  }

  /** The answer from the {@link #rows} of each key group; they are charged to {@code memory}. */
  public static GroupAnswer.WithBounds answer(
      FlowQuery query, List<byte[]> rows, GroupMemory memory) {
    boolean isCounted = DistinctCounts.of(query) != null;
    GroupLayout layout = isCounted ? GroupLayout.ofCounts(query) : GroupLayout.of(query);
    GroupTable all = new GroupTable(layout, memory);
    PartialMerge merge = new PartialMerge(layout);
    rows.forEach(block -> merge.into(all, PartialGroups.open(block)));
    return new GroupAnswer(all, query).finishWithBounds();
  }
}
