package org.flowmon.udaf.result;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.Vector;

/**
 * A query's answer over the groups of a table, which are whole: which of them HAVING keeps, in
 * which order they are, which of them the limit leaves, and their rows. Not thread-safe.
 */
public final class GroupAnswer {
  // In an answer's column: a long, perhaps another one, and whether it is NULL.
  private static final int BYTES_OF_VALUE = 17;

  /**
   * Rows in the query's order, with the bounds of what functions with states give in them.
   *
   * @param bounds one for each approximate column
   */
  public record WithBounds(ResultTable rows, List<ValueBound> bounds) {}

  private final GroupTable table;
  private final FlowQuery query;
  private final Runnable check;

  public GroupAnswer(GroupTable table, FlowQuery query) {
    this(table, query, table.memory()::check);
  }

  /**
   * The answer of a query to the end of which its groups may take some time.
   *
   * @param check runs now and then, and may throw to end it
   */
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

  /** Likewise, with how far what is approximate in them may be off. */
  public WithBounds finishWithBounds() {
    int[] order = ordered();
    check.run();
    return new WithBounds(rows(order), ValueBound.of(table, query, order));
  }

  /**
   * The groups of the answer, of which there are no others, in its order: without GROUP BY it is
   * one, even of no rows.
   */
  public int[] ordered() {
    table.addGroupOfNoKeys();
    return first();
  }

  /** The rows of some groups, which are taken of the query's memory before they are made. */
  public ResultTable rows(int[] groups) {
    table.memory().take((long) BYTES_OF_VALUE * query.select().size() * groups.length);
    return new GroupRows(table, query).table(groups);
  }

  /** The first groups in order, of those that HAVING keeps; all where there is no limit. */
  public int[] first() {
    int[] groups = query.having() == null ? null : kept();
    return new GroupOrder(table, query, groups, check).first(groups);
  }

  /**
   * The groups that are among the first, if one leaves out those below some level: of this one or
   * any higher one. In no order.
   */
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
        break; // all of this level are chosen, and so are those of the ones above it
      }
    }
    return chosen.stream().toArray();
  }

  /** The groups for which HAVING is TRUE; all where there is none. */
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
