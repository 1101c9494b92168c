package org.flowmon.udaf.result;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.Vector;

/** A query's answer over complete groups: HAVING, order, limit, and rows. Not thread-safe. */
public final class GroupAnswer {
  // In an answer's column: a long, possibly a high long, and the NULL mark.
  private static final int BYTES_OF_VALUE = 17;

  /** Rows in the query's order, with a bound for each approximate column. */
  public record WithBounds(ResultTable rows, List<ValueBound> bounds) {}

  private final GroupTable table;
  private final FlowQuery query;
  private final Runnable check;

  public GroupAnswer(GroupTable table, FlowQuery query) {
    this(table, query, table.memory()::check);
  }

  /** {@code check} runs now and then, and may throw to end the query. */
  public GroupAnswer(GroupTable table, FlowQuery query, Runnable check) {
    this.table = table;
    this.query = query;
    this.check = check;
  }

  /** The rows of {@link #ordered}. */
  public ResultTable finish() {
    int[] order = ordered();
    check.run();
    return rows(order);
  }

  /** The rows of {@link #ordered}, with the bounds of approximate values. */
  public WithBounds finishWithBounds() {
    int[] order = ordered();
    check.run();
    return new WithBounds(rows(order), ValueBound.of(table, query, order));
  }

  /** The groups of the answer in its order. Without GROUP BY it is one group, even of no rows. */
  public int[] ordered() {
    table.addGroupOfNoKeys();
    return first();
  }

  /** Takes the rows' bytes from the query's memory first. */
  public ResultTable rows(int[] groups) {
    table.memory().take((long) BYTES_OF_VALUE * query.select().size() * groups.length);
    return new GroupRows(table, query).table(groups);
  }

  /** The first groups in order that HAVING keeps; all if there is no limit. */
  public int[] first() {
    int[] groups = query.having() == null ? null : kept();
    return new GroupOrder(table, query, groups, check).first(groups);
  }

  /** The first groups of those that this level or any higher one keeps. In no order. */
  public int[] firstOfLevels(int level) {
    int[] groups = kept();
    if (query.limit() < 0) {
      return groups;
    }
    byte[] levels = table.levels();
    GroupOrder order = new GroupOrder(table, query, groups, check);
    BitSet chosen = new BitSet(table.size());
    int n = groups.length;
    for (int l = level; n > 0; l++) {
      int left = 0;
      for (int i = 0; i < n; i++) {
        if (levels[groups[i]] >= l) {
          groups[left++] = groups[i];
        }
      }
      n = left;
      boolean isAll = n <= query.limit() && query.limitBy() == null;
      int[] first = isAll ? null : order.first(Arrays.copyOf(groups, n));
      for (int i = 0; i < (first == null ? n : first.length); i++) {
        chosen.set(first == null ? groups[i] : first[i]);
      }
      if (first == null) {
        break; // all of this level and of the higher ones are chosen
      }
    }
    return chosen.stream().toArray();
  }

  /** The groups for which HAVING is TRUE; all if there is none. */
  public int[] kept() {
    int[] groups = table.all();
    if (query.having() == null) {
      return groups;
    }
    GroupBlocks blocks = new GroupBlocks(table, query, query.having());
    CompiledPredicate having = CompiledPredicate.of(query.having(), blocks.vectors());
    int[] selection = new int[Vector.CAPACITY];
    int[] kept = new int[groups.length];
    int[] count = new int[1];
    blocks.read(
        groups,
        (from, n) -> {
          check.run();
          int chosen = having.select(n, selection);
          for (int i = 0; i < chosen; i++) {
            kept[count[0]++] = groups[from + selection[i]];
          }
        });
    return Arrays.copyOf(kept, count[0]);
  }
}
