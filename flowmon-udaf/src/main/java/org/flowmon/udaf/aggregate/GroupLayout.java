package org.flowmon.udaf.aggregate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.flowmon.udaf.aggregate.Accumulator.Operation;
import org.flowmon.udaf.catalogue.UdafCatalogue;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a query's groups: words of keys, and accumulators that aggregates share. Equal
 * queries have equal layouts, whatever the values of their parameters. Immutable.
 */
public final class GroupLayout {
  /** The most keys of a GROUP BY. */
  public static final int MAX_KEYS = 16;

  private final List<Expression> keys;
  private final ValueKind[] keyKinds;
  private final int[] keyWord;
  private final int keyWords;
  private final List<Expression> arguments = new ArrayList<>();
  private final List<Accumulator> accumulators = new ArrayList<>();
  private final Map<AggregateCall, Accumulator> distinct = new HashMap<>();
  private final List<GroupFunction> functions = new ArrayList<>();
  // By the function with all parameters and its row arguments.
  private final Map<List<Object>, Integer> functionPlaces = new HashMap<>();
  private int padWords;
  private int stateWords;
  private final long[] emptyState;
  private final boolean startsWithZeros;
  private final long fingerprint;
  private final Accumulator[] merged;

  private GroupLayout(
      List<Expression> keys, List<AggregateCall> aggregates, List<GroupLayout> parts) {
    this.keys = keys;
    this.keyKinds = keys.stream().map(Expression::kind).toArray(ValueKind[]::new);
    this.keyWord = new int[keys.size()];
    int words = 0;
    for (int k = 0; k < keyKinds.length; k++) {
      keyWord[k] = words;
      words += keyKinds[k] == ValueKind.ADDRESS ? 2 : 1;
    }
    this.keyWords = words;
    aggregates.forEach(this::addAggregate);
    parts.forEach(this::addPart);
    this.emptyState = new long[stateWords];
    accumulators.forEach(accumulator -> accumulator.reset(emptyState, 0));
    this.startsWithZeros = Arrays.stream(emptyState).allMatch(word -> word == 0);
    this.fingerprint = computeFingerprint();
    this.merged = accumulators.toArray(new Accumulator[0]);
  }

  /**
   * The layout of an aggregated query without parameters, to whose groups rows are added.
   *
   * @throws QueryException if the query has no groups, too many keys, or COUNT(DISTINCT …), which
   *     counts the groups of other queries: see {@code DistinctCounts}
   */
  public static GroupLayout of(FlowQuery query) {
    for (AggregateCall call : query.aggregates()) {
      if (call.isDistinct()) {
        throw new QueryException(
            call + " counts groups of its keys and arguments: add rows to those groups");
      }
    }
    return ofCounts(query);
  }

  /** With a word for each COUNT(DISTINCT …), into which other groups, not rows, are counted. */
  public static GroupLayout ofCounts(FlowQuery query) {
    if (!query.isAggregated()) {
      throw new QueryException("expected a query with GROUP BY or aggregates, found " + query);
    }
    if (query.groupBy().size() > MAX_KEYS) {
      throw new QueryException(
          "GROUP BY has at most " + MAX_KEYS + " keys, found " + query.groupBy().size());
    }
    for (Expression key : query.groupBy()) {
      if (key.kind() == null) {
        throw new QueryException(
            "the group key "
                + key
                + " has no kind: bind the query's parameters first, or leave it out if it is always"
                + " NULL");
      }
    }
    return new GroupLayout(query.groupBy(), query.aggregates(), List.of());
  }

  /**
   * The union of layouts with equal keys: their accumulators, equal ones once. A single part is
   * returned itself.
   *
   * @throws IllegalArgumentException if keys differ, or rows are not added to a part's groups
   */
  public static GroupLayout union(List<GroupLayout> parts) {
    GroupLayout first = parts.get(0);
    for (GroupLayout part : parts) {
      if (!part.distinct.isEmpty()) {
        throw new IllegalArgumentException(
            "rows cannot be added to groups with a COUNT(DISTINCT …)");
      }
      if (!part.keys.equals(first.keys)) {
        throw new IllegalArgumentException(
            "groups by " + part.keys + ", expected the keys of the other parts, " + first.keys);
      }
    }
    return parts.size() == 1 ? first : new GroupLayout(first.keys, List.of(), parts);
  }

  private void addAggregate(AggregateCall call) {
    switch (call.function()) {
      case COUNT -> count(call, true);
      case COUNT_DISTINCT -> {
        if (!distinct.containsKey(call)) {
          distinct.put(call, add(Operation.COUNT_DISTINCT, -1));
        }
      }
      case SUM, AVG, MIN, MAX -> {
        count(call, true);
        find(operation(call), call.argument(), true);
      }
      case STDDEV, STDDEV_POP -> {
        count(call, true);
        find(Operation.SUM, call.argument(), true);
        find(operation(call), call.argument(), true);
      }
      case STATE -> addFunction(call);
    }
  }

  private static Operation operation(AggregateCall call) {
    boolean isAddress = call.argument().kind() == ValueKind.ADDRESS;
    return switch (call.function()) {
      case SUM, AVG -> Operation.SUM;
      case STDDEV, STDDEV_POP -> Operation.SUM_OF_SQUARES;
      case MIN -> isAddress ? Operation.MIN_ADDRESS : Operation.MIN;
      case MAX -> isAddress ? Operation.MAX_ADDRESS : Operation.MAX;
      case COUNT, COUNT_DISTINCT, STATE ->
          throw new IllegalArgumentException(call + " is no accumulator's value");
    };
  }

  private void addFunction(AggregateCall call) {
    BoundUdaf function = UdafCatalogue.function(call);
    addFunction(function, ofRows(function, call), call.state().merged() != null);
  }

  /** The arguments evaluated for each row: the row arguments, or the states to merge. */
  private static List<Expression> ofRows(BoundUdaf function, AggregateCall call) {
    return call.state().merged() == null
        ? call.arguments().subList(0, function.arguments())
        : call.arguments();
  }

  private void addFunction(BoundUdaf function, List<Expression> ofRows, boolean takesStates) {
    if (functionPlaces.putIfAbsent(key(function, ofRows, takesStates), functions.size()) != null) {
      return;
    }
    List<Integer> places = new ArrayList<>();
    for (Expression argument : ofRows) {
      if (!arguments.contains(argument)) {
        arguments.add(argument);
      }
      places.add(arguments.indexOf(argument));
    }
    GroupFunction added = new GroupFunction(function, places, takesStates);
    functions.add(added);
    padWords += added.low().words();
  }

  private static List<Object> key(
      BoundUdaf function, List<Expression> ofRows, boolean takesStates) {
    return List.of(function.call().toString(), ofRows, takesStates);
  }

  private void addPart(GroupLayout part) {
    for (Accumulator accumulator : part.accumulators) {
      find(accumulator.operation(), part.argumentOf(accumulator), true);
    }
    for (GroupFunction function : part.functions) {
      addFunction(function.function(), part.argumentsOf(function), function.takesStates());
    }
  }

  private List<Expression> argumentsOf(GroupFunction function) {
    List<Expression> ofRows = new ArrayList<>();
    for (int a = 0; a < function.arguments(); a++) {
      ofRows.add(arguments.get(function.argument(a)));
    }
    return List.copyOf(ofRows);
  }

  private @Nullable Expression argumentOf(Accumulator accumulator) {
    return accumulator.argument() < 0 ? null : arguments.get(accumulator.argument());
  }

  private Accumulator count(AggregateCall call, boolean add) {
    return call.arguments().isEmpty()
        ? find(Operation.COUNT_ROWS, null, add)
        : find(Operation.COUNT_VALUES, call.argument(), add);
  }

  private Accumulator find(Operation operation, @Nullable Expression argument, boolean add) {
    int place = argument == null ? -1 : arguments.indexOf(argument);
    if (argument != null && place < 0 && add) {
      place = arguments.size();
      arguments.add(argument);
    }
    for (Accumulator accumulator : accumulators) {
      if (accumulator.operation() == operation && accumulator.argument() == place) {
        return accumulator;
      }
    }
    if (!add) {
      throw new IllegalArgumentException("the layout has no " + operation + " of " + argument);
    }
    return add(operation, place);
  }

  private Accumulator add(Operation operation, int argument) {
    Accumulator accumulator = new Accumulator(operation, argument, stateWords);
    accumulators.add(accumulator);
    stateWords += operation.words();
    return accumulator;
  }

  private long computeFingerprint() {
    long hash = GroupHash.SEED;
    for (ValueKind kind : keyKinds) {
      hash = GroupHash.mix(hash, kind.code());
    }
    for (Accumulator accumulator : accumulators) {
      int argument = accumulator.argument();
      ValueKind kind = argument < 0 ? null : arguments.get(argument).kind();
      hash = GroupHash.mix(hash, 256L + accumulator.operation().code());
      hash = GroupHash.mix(hash, argument + 1);
      hash = GroupHash.mix(hash, kind == null ? 0 : kind.code());
    }
    for (GroupFunction function : functions) {
      hash = GroupHash.mix(hash, 512L + function.arguments());
      for (int a = 0; a < function.arguments(); a++) {
        hash = GroupHash.mix(hash, function.argument(a) + 1);
      }
      hash = GroupHash.mix(hash, GroupHash.ofText(function.function().stateType()));
    }
    return GroupHash.finish(hash);
  }

  public List<Expression> keys() {
    return keys;
  }

  public ValueKind keyKind(int key) {
    return keyKinds[key];
  }

  /** The place of a key's first word among the key words. */
  public int keyWord(int key) {
    return keyWord[key];
  }

  /** Two longs for an address (high, low), else one; a text is a number in a dictionary. */
  public int keyWords() {
    return keyWords;
  }

  /** The different arguments of all aggregates, in the order of their first use. */
  public List<Expression> arguments() {
    return List.copyOf(arguments);
  }

  public List<Accumulator> accumulators() {
    return List.copyOf(accumulators);
  }

  /** Those that keep a state per group beside the accumulators, in the order of first use. */
  public List<GroupFunction> functions() {
    return List.copyOf(functions);
  }

  /** The place of a call's function in {@link #functions}. */
  public int functionOf(AggregateCall call) {
    BoundUdaf function = UdafCatalogue.function(call);
    return placeOf(function, ofRows(function, call), call.state().merged() != null);
  }

  private int placeOf(BoundUdaf function, List<Expression> ofRows, boolean takesStates) {
    Integer place = functionPlaces.get(key(function, ofRows, takesStates));
    if (place == null) {
      throw new IllegalArgumentException("the layout has no " + function.call());
    }
    return place;
  }

  public int stateWords() {
    return stateWords;
  }

  /**
   * The places here of a part's states, by word, then by function; this layout is a {@link #union}
   * with the part, or the part. The state of a function counts as one word, after the other words.
   *
   * @throws IllegalArgumentException if this layout lacks one of the part's accumulators
   */
  public int[] placesOf(GroupLayout part) {
    int[] places = new int[part.stateWords + part.functions.size()];
    if (part == this) { // also for counted different arguments, which look the same
      Arrays.setAll(places, place -> place);
      return places;
    }
    for (Accumulator accumulator : part.accumulators) {
      Operation operation = accumulator.operation();
      int from = find(operation, part.argumentOf(accumulator), false).word();
      for (int w = 0; w < operation.words(); w++) {
        places[accumulator.word() + w] = from + w;
      }
    }
    for (int f = 0; f < part.functions.size(); f++) {
      GroupFunction function = part.functions.get(f);
      places[part.stateWords + f] =
          stateWords
              + placeOf(function.function(), part.argumentsOf(function), function.takesStates());
    }
    return places;
  }

  /** Whether it has a part's keys, accumulators and functions, as {@link #placesOf} requires. */
  public boolean holds(GroupLayout part) {
    return keys.equals(part.keys)
        && distinct.isEmpty()
        && part.distinct.isEmpty()
        && part.accumulators.stream()
            .allMatch(accumulator -> has(accumulator.operation(), part.argumentOf(accumulator)))
        && part.functions.stream()
            .allMatch(
                function ->
                    functionPlaces.containsKey(
                        key(
                            function.function(),
                            part.argumentsOf(function),
                            function.takesStates())));
  }

  private boolean has(Operation operation, @Nullable Expression argument) {
    int place = argument == null ? -1 : arguments.indexOf(argument);
    return (argument == null || place >= 0)
        && accumulators.stream()
            .anyMatch(own -> own.operation() == operation && own.argument() == place);
  }

  /** Longs of all functions' scratchpads, which follow a group's state at the low level. */
  public int padWords() {
    return padWords;
  }

  /** Identifies the layout: partial groups carry it, and are never merged into those of another. */
  public long fingerprint() {
    return fingerprint;
  }

  /** Whether the state of a group without rows is all zeros, as a new array is. */
  public boolean startsWithZeros() {
    return startsWithZeros;
  }

  /** Writes the state of a group without rows. */
  public void reset(long[] state, int at) {
    System.arraycopy(emptyState, 0, state, at, stateWords);
  }

  public void merge(long[] target, int into, long[] source, int from) {
    for (Accumulator accumulator : merged) {
      accumulator.merge(target, into, source, from);
    }
  }

  /** Of an aggregate's value: its sum, sum of squares, minimum or maximum; for COUNT its count. */
  public Accumulator value(AggregateCall call) {
    return switch (call.function()) {
      case STATE -> throw new IllegalArgumentException(call + " is no accumulator's value");
      case COUNT, COUNT_DISTINCT -> values(call);
      default -> find(operation(call), call.argument(), false);
    };
  }

  /** Of an aggregate's argument, if the aggregate has a sum. */
  public Accumulator sum(AggregateCall call) {
    return find(Operation.SUM, call.argument(), false);
  }

  /** Counts an aggregate's rows, non-NULL arguments, or different arguments. */
  public Accumulator values(AggregateCall call) {
    return call.isDistinct()
        ? Objects.requireNonNull(distinct.get(call), "the layout does not count it")
        : count(call, false);
  }
}
