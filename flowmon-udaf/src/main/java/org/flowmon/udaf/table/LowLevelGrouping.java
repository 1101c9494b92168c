package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.SharedVector;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.Expression;

/**
 * A grouping of live queries on the low level: its keys, the arguments of all of them, its table,
 * its way out.
 */
final class LowLevelGrouping {
  private final Plan plan;
  private final SharedEvaluation.Keys keys;
  private final SharedVector[] arguments;
  private final Vector[] argumentVectors;
  private final PartialOutput output;
  private final LowLevelTable table;

  /**
   * What a grouping is to be.
   *
   * @param layout of its groups: all that its parts need
   * @param leadingKeys how many of its first keys decide about its groups' key group
   * @param parts whom they are for
   */
  record Plan(GroupLayout layout, int leadingKeys, List<LowLevelMember.Part> parts) {
    private record Keys(List<Expression> keys, int leading, boolean functions) {}

    private record Wanted(LowLevelMember member, int grouping, GroupLayout layout) {}

    /**
     * One for all that have equal keys, with equal accumulators once. Functions that keep states
     * take so much of a table that those without them would find less of their own in it.
     */
    static List<Plan> of(List<LowLevelMember> members) {
      Map<Keys, List<Wanted>> byKeys = new LinkedHashMap<>();
      for (LowLevelMember member : members) {
        LiveGroupings live = member.groupings();
        for (int g = 0; g < live.groupings().size(); g++) {
          GroupLayout layout = live.groupings().get(g);
          byKeys
              .computeIfAbsent(
                  new Keys(layout.keys(), live.leadingKeys(), !layout.functions().isEmpty()),
                  keys -> new ArrayList<>())
              .add(new Wanted(member, g, layout));
        }
      }
      List<Plan> plans = new ArrayList<>();
      byKeys.forEach(
          (keys, wanted) -> {
            GroupLayout all = GroupLayout.union(wanted.stream().map(Wanted::layout).toList());
            List<LowLevelMember.Part> parts = new ArrayList<>();
            for (Wanted one : wanted) {
              long id = one.member.queryId();
              parts.add(
                  new LowLevelMember.Part(
                      one.member, new PartialRecipient(id, one.grouping, one.layout, all)));
            }
            plans.add(new Plan(all, keys.leading, List.copyOf(parts)));
          });
      return plans;
    }

    /** Words of a slot. */
    int words() {
      return 1 + layout.keyWords() + layout.stateWords() + layout.padWords();
    }
  }

  /**
   * A grouping without groups.
   *
   * @param number of it among those with the same panes
   * @param evaluation where keys and arguments are shared with other groupings
   */
  LowLevelGrouping(
      Plan plan,
      int number,
      TextDictionary texts,
      PaneSet panes,
      int slots,
      int maxParallelism,
      SharedEvaluation evaluation) {
    GroupLayout layout = plan.layout();
    this.plan = plan;
    this.keys = evaluation.keys(layout, texts, plan.leadingKeys());
    this.arguments = evaluation.values(layout.arguments());
    this.argumentVectors = SharedEvaluation.Keys.vectors(arguments);
    this.output = new PartialOutput(layout, number, plan.parts(), texts, maxParallelism);
    this.table = new LowLevelTable(layout, keys.columns(), panes, slots, output);
  }

  /**
   * Evaluates keys and arguments of rows, which {@link #add} takes next. Where some fail, the
   * queries fail that need them.
   *
   * @return whether all could be evaluated
   */
  boolean evaluate(FlowRows rows, int from, int count) {
    try {
      keys.load(rows, from, count);
    } catch (RuntimeException e) {
      fail(e);
      return false;
    }
    boolean all = true;
    for (int a = 0; a < arguments.length; a++) {
      try {
        arguments[a].evaluate(rows, from, count);
      } catch (RuntimeException e) {
        Expression argument = plan.layout.arguments().get(a);
        for (LowLevelMember.Part part : plan.parts) {
          if (part.recipient().layout.arguments().contains(argument)) {
            part.member().fail(e);
          }
        }
        all = false;
      }
    }
    return all;
  }

  /**
   * Adds selected ones of the rows that were evaluated.
   *
   * @param selection relative to the first of them
   * @param paneOf each selected row's pane; null where {@code pane} is that of all
   */
  void add(int[] selection, int n, Pane[] paneOf, Pane pane) {
    table.add(argumentVectors, selection, n, paneOf, pane);
  }

  /** Looks at some slots, and sends away groups of closed panes, or of all. */
  void drain(int slots, boolean all) {
    table.drain(slots, all);
  }

  /** Sends what is on its way of a pane. */
  void flush(Pane pane) {
    output.flush(pane);
  }

  /** Forgets all groups. */
  void clear() {
    table.clear();
  }

  /** All queries that its groups are for have failed. */
  void fail(RuntimeException cause) {
    plan.parts.forEach(part -> part.member().fail(cause));
  }

  /** Whether its groups are for anyone. */
  boolean isWanted() {
    return plan.parts.stream().anyMatch(part -> part.member().receives());
  }

  /** How many of a query's groupings its groups are for. */
  int partsOf(LowLevelMember member) {
    int number = 0;
    for (LowLevelMember.Part part : plan.parts) {
      number += part.member() == member ? 1 : 0;
    }
    return number;
  }

  long evictions() {
    return table.evictions();
  }

  long passedRows() {
    return table.passedRows();
  }
}
