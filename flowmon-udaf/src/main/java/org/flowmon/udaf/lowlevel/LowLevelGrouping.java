package org.flowmon.udaf.lowlevel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.SharedVector;
import org.flowmon.udaf.group.TextDictionary;
import org.flowmon.udaf.partial.PartialGroupsBuilder;
import org.flowmon.udaf.partial.PartialRecipient;
import org.flowmon.udaf.partial.StateSource;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.result.LiveGroupings;
import org.flowmon.udaf.tuning.TableSize;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * A grouping of live queries on the low level, with its table. Groups that leave it are packed by
 * pane and key group, and go to interested queries when there are enough, or at the latest possible
 * time.
 */
final class LowLevelGrouping implements LowLevelTable.Evicted {
  /** Of one pane and key group, sent together. */
  private static final int FLUSH_GROUPS = 256;

  /** Bytes of functions' states that cause sending, too. */
  private static final int FLUSH_STATE_BYTES = 1 << 15;

  private static final int MAX_SPARE_BUILDERS = 1024;

  private final Plan plan;
  private final int number;
  private final TextDictionary texts;
  private final int maxParallelism;
  private final SharedEvaluation.Keys keys;
  private final SharedVector[] arguments;
  private final Vector[] argumentVectors;
  private final PaneSet panes;
  private final TableSize size;
  private final TableTuner tuner;
  private final PartialGroupsBuilder.Scratch scratch = new PartialGroupsBuilder.Scratch();
  private final ArrayDeque<PartialGroupsBuilder> spare = new ArrayDeque<>();
  // The selected rows that are not left out, and their panes.
  private final int[] counted;
  private final Pane[] paneOfCounted;
  private LowLevelTable table;
  // Of earlier tables.
  private long evictionsBefore;
  private long passedBefore;

  /**
   * The plan of a grouping for its recipients; the leading keys decide the key group. Rows are left
   * out that have a NULL among the {@code required} keys, by bit: no recipient counts them.
   */
  record Plan(GroupLayout layout, int leadingKeys, long required, List<LowLevelMember.Part> parts) {
    private record Keys(List<Expression> keys, int leading, long required, boolean functions) {}

    private record Wanted(LowLevelMember member, int grouping, GroupLayout layout) {}

    /**
     * One for equal keys, with equal accumulators once. Groupings with function states are kept
     * apart: they take so much of a table that others would find fewer of their groups.
     */
    static List<Plan> of(List<LowLevelMember> members) {
      Map<Keys, List<Wanted>> byKeys = new LinkedHashMap<>();
      for (LowLevelMember member : members) {
        LiveGroupings live = member.groupings();
        for (int g = 0; g < live.groupings().size(); g++) {
          GroupLayout layout = live.groupings().get(g);
          byKeys
              .computeIfAbsent(
                  new Keys(
                      layout.keys(),
                      live.leadingKeys(),
                      live.required(g),
                      !layout.functions().isEmpty()),
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
            plans.add(new Plan(all, keys.leading, keys.required, List.copyOf(parts)));
          });
      return plans;
    }

    /** The most longs of its table. */
    long words(int slots) {
      int padWords = layout.padWords();
      long stride = 1L + layout.keyWords() + layout.stateWords() + padWords;
      return stride * LowLevelTable.slotsWith(padWords, layout, slots);
    }
  }

  /**
   * A grouping without groups.
   *
   * @param number of it among those with the same panes
   * @param nanos a clock; only its differences count
   */
  LowLevelGrouping(
      Plan plan,
      int number,
      TextDictionary texts,
      PaneSet panes,
      TableSize size,
      int maxParallelism,
      SharedEvaluation evaluation,
      LongSupplier nanos) {
    GroupLayout layout = plan.layout();
    this.plan = plan;
    this.number = number;
    this.texts = texts;
    this.maxParallelism = maxParallelism;
    this.keys = evaluation.keys(layout, texts, plan.leadingKeys());
    this.arguments = evaluation.values(layout.arguments());
    this.argumentVectors = new Vector[arguments.length];
    int mostCounted = plan.required() == 0 ? 0 : Vector.CAPACITY;
    this.counted = new int[mostCounted];
    this.paneOfCounted = new Pane[mostCounted];
    this.panes = panes;
    this.size = size;
    this.tuner = new TableTuner(layout, size, nanos);
    this.table = newTable();
  }

  private LowLevelTable newTable() {
    return new LowLevelTable(
        plan.layout,
        keys.columns(),
        panes,
        tuner.slots(),
        size.hasSecondChance(),
        tuner.pads(),
        this);
  }

  private void renew() {
    table.drainAll();
    evictionsBefore += table.evictions();
    passedBefore += table.passedRows();
    table = newTable();
  }

  /** Evaluates rows for {@link #add}; false if some fail: then the queries that need them fail. */
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
        argumentVectors[a] = arguments[a].values(rows, from, count);
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

  /** Adds evaluated rows; {@code paneOf} by selected row, null if all are of {@code pane}. */
  void add(int[] selection, int n, Pane @Nullable [] paneOf, Pane pane) {
    if (plan.required == 0 || !keys.columns().hasNulls()) {
      addAll(selection, n, paneOf, pane);
      return;
    }
    long[] nulls = keys.columns().nulls;
    int kept = 0;
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      counted[kept] = i;
      if (paneOf != null) {
        paneOfCounted[kept] = paneOf[r];
      }
      kept += (nulls[i] & plan.required) == 0 ? 1 : 0;
    }
    if (kept > 0) {
      addAll(counted, kept, paneOf == null ? null : paneOfCounted, pane);
    }
  }

  private void addAll(int[] selection, int n, Pane @Nullable [] paneOf, Pane pane) {
    table.add(argumentVectors, selection, n, paneOf, pane);
    if (tuner.took(table, keys.columns(), argumentVectors, selection, n, paneOf, pane)) {
      renew();
    }
  }

  /** Ends an epoch: the groups of a pane, or all before a barrier, have left. */
  void epochEnds() {
    if (tuner.epochEnds(table)) {
      renew();
    }
  }

  int slots() {
    return table.slots();
  }

  LowLevelTuning tuning() {
    return tuner.tuning(table);
  }

  void drain(int slots) {
    table.drain(slots, false);
  }

  void drainAll() {
    table.drainAll();
  }

  @Override
  public void evict(
      Pane pane, long nulls, long hash, long[] data, int at, StateSource source, int group) {
    int keyGroup = GroupHash.keyGroup(hash, maxParallelism);
    int destination = number * maxParallelism + keyGroup;
    PartialGroupsBuilder builder = pane.outgoing[destination];
    if (builder == null) {
      builder = spare.isEmpty() ? new PartialGroupsBuilder(plan.layout, scratch) : spare.pop();
      pane.outgoing[destination] = builder;
    }
    builder.add(nulls, data, at, texts, source, group);
    if (builder.count() >= FLUSH_GROUPS || builder.stateBytes() >= FLUSH_STATE_BYTES) {
      send(pane, keyGroup, builder);
    }
  }

  void flush(Pane pane) {
    for (int keyGroup = 0; keyGroup < maxParallelism; keyGroup++) {
      int destination = number * maxParallelism + keyGroup;
      PartialGroupsBuilder builder = pane.outgoing[destination];
      if (builder != null) {
        if (builder.count() > 0) {
          send(pane, keyGroup, builder);
        }
        pane.outgoing[destination] = null;
        if (spare.size() < MAX_SPARE_BUILDERS) {
          spare.push(builder);
        }
      }
    }
  }

  private void send(Pane pane, int keyGroup, PartialGroupsBuilder builder) {
    builder.pack();
    for (LowLevelMember.Part part : plan.parts) {
      LowLevelMember to = part.member();
      if (to.receives(pane)) {
        byte[] message =
            builder.message(part.recipient(), keyGroup, pane.start, pane.fromWindowEnd, pane.due);
        to.send(keyGroup, message, builder.count());
      }
    }
    builder.clear();
  }

  void clear() {
    table.clear();
  }

  void fail(RuntimeException cause) {
    plan.parts.forEach(part -> part.member().fail(cause));
  }

  boolean isWanted() {
    return plan.parts.stream().anyMatch(part -> part.member().receives());
  }

  int partsOf(LowLevelMember member) {
    int number = 0;
    for (LowLevelMember.Part part : plan.parts) {
      number += part.member() == member ? 1 : 0;
    }
    return number;
  }

  long evictions() {
    return evictionsBefore + table.evictions();
  }

  long passedRows() {
    return passedBefore + table.passedRows();
  }
}
