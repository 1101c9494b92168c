package org.flowmon.udaf.result;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.aggregate.KeyProjection;
import org.flowmon.udaf.group.GroupSample;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.Typing;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * Answers queries with COUNT(DISTINCT …). For each list of arguments, rows are grouped by the
 * query's keys and these arguments; then the groups of equal keys are counted. The first grouping
 * also has all other aggregates, whose states are merged. Immutable, safe for many threads.
 *
 * <p>{@linkplain #joined Joined}, a count with FILTER needs no groups of its own if there is one of
 * the same arguments without: each of these groups counts the rows that pass the filter, and is
 * counted if there are some. Nor does a count whose arguments {@linkplain KeyProjection follow}
 * from those of another: its groups are made of the finer ones.
 *
 * <pre>
 *   SELECT k, COUNT(DISTINCT a, b), SUM(c), COUNT(DISTINCT d) … GROUP BY k
 *     rows ─► SELECT k, a, b, SUM(c) … GROUP BY k, a, b ─┐ one more if a, b are not NULL; SUM(c)
 *          └► SELECT k, d … GROUP BY k, d ───────────────┴► groups of k
 * </pre>
 */
public final class DistinctCounts {
  // Groups between two cancellation checks.
  private static final int CHECKED = 4096;

  private final FlowQuery query;
  private final GroupLayout layout;
  private final List<FlowQuery> groupings = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final boolean isJoined;
  private final boolean isProjected;

  /**
   * What a grouping's group adds to the group of its keys, unless one of the keys in {@code
   * arguments}, by bit, is NULL: one to each count. Projected counts come after all groups.
   */
  private record Step(
      long arguments, List<Counted> counts, List<Projected> projected, List<Moved> states) {}

  /**
   * A count, and the word of a group's state that is 0 if the group is not to be counted; −1: each.
   */
  private record Counted(Accumulator count, int rows) {
    boolean hasRows(GroupTable groups, int group) {
      return rows < 0 || groups.word(groups.stateAt(group) + rows) > 0;
    }
  }

  /** A count of groups, with the layout of a grouping of its own, that are made of finer ones. */
  private record Projected(Counted count, KeyProjection keys, GroupLayout layout) {}

  /**
   * A count whose groups are made of finer ones, and the count of a finer group's rows that belong
   * to it; null: all do.
   */
  private record Coarser(AggregateCall call, KeyProjection keys, @Nullable AggregateCall rows) {}

  /** A state of a grouping and its destination. */
  private record Moved(Accumulator into, int from) {}

  private DistinctCounts(FlowQuery query, boolean join) {
    this.query = query;
    this.layout = GroupLayout.ofCounts(query);
    List<AggregateCall> others =
        query.aggregates().stream().filter(call -> !call.isDistinct()).distinct().toList();
    Set<AggregateCall> counted = new LinkedHashSet<>();
    query.aggregates().stream().filter(AggregateCall::isDistinct).forEach(counted::add);
    // By count that has groups: counts with a filter among the same groups.
    Map<AggregateCall, List<AggregateCall>> groups = new LinkedHashMap<>();
    counted.forEach(call -> groups.put(call, new ArrayList<>()));
    for (AggregateCall call : counted) {
      AggregateCall unfiltered = join ? unfiltered(call) : null;
      List<AggregateCall> among = unfiltered == null ? null : groups.get(unfiltered);
      boolean isAlone = Objects.requireNonNull(groups.get(call)).isEmpty();
      if (among != null && isAlone) {
        groups.remove(call);
        among.add(call);
      }
    }
    this.isJoined = groups.size() < counted.size();
    Map<AggregateCall, List<Coarser>> coarser = join ? removeCoarser(groups) : Map.of();
    this.isProjected = !coarser.isEmpty();
    // First those of all rows.
    Set<AggregateCall> steps = new LinkedHashSet<>(coarser.keySet());
    steps.addAll(groups.keySet());
    for (AggregateCall call : steps) {
      addStep(
          call,
          Objects.requireNonNull(groups.get(call)),
          coarser.getOrDefault(call, List.of()),
          groupings.isEmpty() ? others : List.of());
    }
  }

  /** Moves counts whose groups follow from those of another; returns them by the other. */
  private Map<AggregateCall, List<Coarser>> removeCoarser(
      Map<AggregateCall, List<AggregateCall>> groups) {
    Map<AggregateCall, List<Coarser>> coarser = new LinkedHashMap<>();
    for (AggregateCall call : List.copyOf(groups.keySet())) {
      AggregateCall plain = plain(call);
      for (AggregateCall finer : List.copyOf(groups.keySet())) {
        KeyProjection keys =
            finer.equals(call) || coarser.containsKey(call)
                ? null
                : KeyProjection.of(keys(plain), plain.arguments(), keys(finer));
        if (keys != null) {
          List<Coarser> moved = coarser.computeIfAbsent(finer, key -> new ArrayList<>());
          moved.add(new Coarser(call, keys, rows(call, keys)));
          for (AggregateCall filtered : Objects.requireNonNull(groups.remove(call))) {
            moved.add(new Coarser(filtered, keys, rows(filtered, keys)));
          }
          break;
        }
      }
    }
    return coarser;
  }

  /** The call without FILTER, if it has one. */
  private static AggregateCall plain(AggregateCall call) {
    AggregateCall unfiltered = unfiltered(call);
    return unfiltered == null ? call : unfiltered;
  }

  private void addStep(
      AggregateCall call,
      List<AggregateCall> filtered,
      List<Coarser> coarser,
      List<AggregateCall> others) {
    List<AggregateCall> ofRows = new ArrayList<>(others);
    filtered.forEach(one -> ofRows.add(passed(one)));
    for (Coarser one : coarser) {
      if (one.rows() != null) {
        ofRows.add(one.rows());
      }
    }
    FlowQuery grouping = grouping(call, ofRows);
    GroupLayout from = GroupLayout.of(grouping);
    long arguments = 0;
    for (Expression argument : call.arguments()) {
      arguments |= 1L << grouping.groupBy().indexOf(argument);
    }
    List<Counted> counts = new ArrayList<>(List.of(new Counted(layout.values(call), -1)));
    for (AggregateCall one : filtered) {
      counts.add(new Counted(layout.values(one), from.values(passed(one)).word()));
    }
    List<Projected> projected = new ArrayList<>();
    for (Coarser one : coarser) {
      AggregateCall rows = one.rows();
      Counted count =
          new Counted(layout.values(one.call()), rows == null ? -1 : from.values(rows).word());
      GroupLayout own = GroupLayout.of(grouping(plain(one.call()), List.of()));
      projected.add(new Projected(count, one.keys(), own));
    }
    List<Moved> states = others.isEmpty() ? List.of() : moved(from);
    steps.add(new Step(arguments, List.copyOf(counts), List.copyOf(projected), states));
    groupings.add(grouping);
  }

  /** Counts the rows of a finer group that are of the call's group; null if all are. */
  private static @Nullable AggregateCall rows(AggregateCall call, KeyProjection keys) {
    List<Expression> terms = new ArrayList<>();
    if (unfiltered(call) != null) {
      terms.add(((Case) call.arguments().get(0)).whens().get(0).condition());
    }
    keys.replaced().forEach(key -> terms.add(new Not(new IsNull(key))));
    return terms.isEmpty()
        ? null
        : Typing.filtered(
            new AggregateCall(AggregateFunction.COUNT, List.of()),
            terms.size() == 1 ? terms.get(0) : new And(terms));
  }

  /** The same COUNT(DISTINCT …) without its FILTER; null if it has none. */
  private static @Nullable AggregateCall unfiltered(AggregateCall call) {
    List<Expression> arguments = new ArrayList<>(call.arguments());
    if (!(arguments.get(0) instanceof Case filter)
        || filter.whens().size() != 1
        || !(filter.otherwise() instanceof Literal literal)
        || !literal.value().isNull()) {
      return null;
    }
    arguments.set(0, filter.whens().get(0).result());
    return new AggregateCall(AggregateFunction.COUNT_DISTINCT, arguments);
  }

  /** Counts the rows that pass the FILTER of a count. */
  private static AggregateCall passed(AggregateCall filtered) {
    Case filter = (Case) filtered.arguments().get(0);
    return Typing.filtered(
        new AggregateCall(AggregateFunction.COUNT, List.of()), filter.whens().get(0).condition());
  }

  /**
   * Plans the groupings of an aggregated query without parameters; null without COUNT(DISTINCT …).
   *
   * @throws QueryException if there are too many keys and arguments
   */
  public static @Nullable DistinctCounts of(FlowQuery query) {
    return of(query, false);
  }

  /** As {@link #of}, with fewer {@link #groupings}. */
  public static @Nullable DistinctCounts joined(FlowQuery query) {
    return of(query, true);
  }

  private static @Nullable DistinctCounts of(FlowQuery query, boolean join) {
    return query.aggregates().stream().anyMatch(AggregateCall::isDistinct)
        ? new DistinctCounts(query, join)
        : null;
  }

  /** Whether counts with FILTER take their groups from those without. */
  public boolean isJoined() {
    return isJoined;
  }

  /** Whether counts take their groups from finer ones. */
  public boolean isProjected() {
    return isProjected;
  }

  /**
   * The keys of a grouping, by bit, of which none is NULL in a row that counts: others need no
   * group. 0 if all rows do, as other aggregates have them, too.
   */
  public long required(int grouping) {
    Step step = steps.get(grouping);
    return grouping == 0 || !step.projected().isEmpty() ? 0 : step.arguments();
  }

  private List<Expression> keys(AggregateCall call) {
    List<Expression> keys = new ArrayList<>(query.groupBy());
    for (Expression argument : call.arguments()) {
      if (!keys.contains(argument)) {
        keys.add(argument);
      }
    }
    return keys;
  }

  private FlowQuery grouping(AggregateCall call, List<AggregateCall> others) {
    List<Expression> keys = keys(call);
    if (keys.size() > GroupLayout.MAX_KEYS) {
      throw new QueryException(
          "keys of GROUP BY and arguments of a COUNT(DISTINCT …) are at most "
              + GroupLayout.MAX_KEYS
              + " together, found "
              + keys.size()
              + " with "
              + call);
    }
    List<SelectItem> items = new ArrayList<>();
    keys.forEach(key -> items.add(new SelectItem("k" + items.size(), key)));
    others.forEach(other -> items.add(new SelectItem("a" + items.size(), other)));
    return new FlowQuery(items, query.where(), keys, List.of(), -1);
  }

  private List<Moved> moved(GroupLayout from) {
    List<Moved> moved = new ArrayList<>();
    for (Accumulator accumulator : from.accumulators()) {
      int place = accumulator.argument();
      Expression argument = place < 0 ? null : from.arguments().get(place);
      int mine = argument == null ? -1 : layout.arguments().indexOf(argument);
      for (Accumulator into : layout.accumulators()) {
        if (into.operation() == accumulator.operation() && into.argument() == mine) {
          moved.add(new Moved(into, accumulator.word()));
        }
      }
    }
    return moved;
  }

  /** The queries whose groups are counted, without order or limit. */
  public List<FlowQuery> groupings() {
    return groupings;
  }

  /** A table for the query's groups, which take the memory; null: unlimited. */
  public GroupTable newTable(@Nullable GroupMemory memory) {
    return new GroupTable(layout, memory);
  }

  /** Counts each group of one of {@link #groupings} once, into {@link #newTable}s, to be merged. */
  public void count(int grouping, GroupTable groups, GroupTable into) {
    count(grouping, groups, into, into.memory()::check);
  }

  /** Counts groups; {@code check} runs now and then, and may throw to end the count. */
  public void count(int grouping, GroupTable groups, GroupTable into, Runnable check) {
    Step step = steps.get(grouping);
    if (groups.isOfSample() && groups.sample().rest() != null) {
      leaveOut(step, groups.sample().rest(), into.sample());
    }
    long[] from = groups.words();
    for (int g = 0; g < groups.size(); g++) {
      if (g % CHECKED == 0) {
        check.run();
      }
      int group = into.findKeysOf(groups, g);
      into.mergeStates(group, groups, g);
      int state = into.stateAt(group);
      long[] words = into.words();
      if ((from[g * groups.stride()] & step.arguments()) == 0) {
        for (Counted counted : step.counts()) {
          words[state + counted.count().word()] += counted.hasRows(groups, g) ? 1 : 0;
        }
      }
      for (Moved moved : step.states()) {
        Accumulator accumulator = moved.into();
        int at = groups.stateAt(g) + moved.from() - accumulator.word();
        accumulator.merge(words, state, from, at);
      }
    }
    step.projected().forEach(projected -> count(projected, groups, into, check));
  }

  private static void count(
      Projected projected, GroupTable groups, GroupTable into, Runnable check) {
    // Only live queries project, one key group at a time. The window's budget counts the finer
    // groups, and the coarser ones are no more than these.
    GroupTable coarser = new GroupTable(projected.layout());
    int[] places = projected.keys().places();
    for (int g = 0; g < groups.size(); g++) {
      if (g % CHECKED == 0) {
        check.run();
      }
      long nulls = groups.word(g * groups.stride());
      if ((nulls & projected.keys().counted()) == 0 && projected.count().hasRows(groups, g)) {
        var unused = coarser.findKeysOf(groups, g, places);
      }
    }
    for (int g = 0; g < coarser.size(); g++) {
      int state = into.stateAt(into.findKeysOf(coarser, g));
      into.words()[state + projected.count().count().word()]++;
    }
  }

  /** Merges the rest of dropped groups, whose number is unknown. */
  private void leaveOut(Step step, long[] rest, GroupSample into) {
    long[] state = new long[layout.stateWords()];
    layout.reset(state, 0);
    for (Moved moved : step.states()) {
      moved.into().merge(state, 0, rest, moved.from() - moved.into().word());
    }
    into.takeRest(state, 0);
  }

  /** Answers the query from all groups of each of {@link #groupings}. */
  public ResultTable finish(List<GroupTable> groups) {
    return finish(groups, null, () -> {});
  }

  /** Answers with limited memory, null: unlimited; {@code check} may throw to end the query. */
  ResultTable finish(List<GroupTable> groups, @Nullable GroupMemory memory, Runnable check) {
    GroupTable all = newTable(memory);
    for (int g = 0; g < groups.size(); g++) {
      check.run();
      count(g, groups.get(g), all, check);
    }
    return new GroupAnswer(all, query, check).finish();
  }

  /** Answers the query from its groups, with the bounds of approximate values. */
  public GroupAnswer.WithBounds answer(GroupTable groups) {
    return new GroupAnswer(groups, query).finishWithBounds();
  }
}
