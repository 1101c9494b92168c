package org.flowmon.udaf.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.flowmon.udaf.function.Answer;
import org.flowmon.udaf.function.AnswerType;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.query.FunctionCatalogue.StateEvaluation;
import org.flowmon.udaf.query.StateType;
import org.flowmon.udaf.query.StateValue;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** The class path's functions for the dialect: checks calls when read, binds them when run. */
public final class UdafCatalogue implements FunctionCatalogue {
  // Read once: the class path does not change.
  private static @Nullable Udafs known;

  private final Map<String, Set<String>> extractors = new TreeMap<>();
  // By function of two states: the functions whose states it takes.
  private final Map<String, List<String>> pairs = new TreeMap<>();

  public UdafCatalogue() {
    for (Udaf function : known().all()) {
      extractors.put(
          function.name(),
          function.extractors().stream().map(Extractor::name).collect(Collectors.toSet()));
      for (PairFunction pair : known().pairs(function)) {
        pairs.computeIfAbsent(pair.name(), name -> new ArrayList<>()).add(function.name());
      }
    }
  }

  private static synchronized Udafs known() {
    if (known == null) {
      known = Udafs.load(UdafCatalogue.class.getClassLoader());
    }
    return known;
  }

  @Override
  public Set<String> functions() {
    return extractors.keySet();
  }

  @Override
  public Set<String> extractors(String function) {
    return extractors.getOrDefault(function, Set.of());
  }

  @Override
  public void check(String function, List<Expression> arguments) {
    try {
      known().bind(function, arguments(arguments));
    } catch (UdafException e) {
      throw new CallException(String.valueOf(e.getMessage()), e.argument());
    }
  }

  @Override
  public Gives check(
      String function, List<Expression> arguments, String extractor, List<Expression> parameters) {
    try {
      BoundUdaf bound = known().bind(function, arguments(arguments));
      AnswerType type = known().bindExtractor(bound, extractor, arguments(parameters)).type();
      return new Gives(type.isList() ? ValueKind.TEXT : type.value(), type.isList());
    } catch (UdafException e) {
      throw new CallException(String.valueOf(e.getMessage()), e.argument());
    }
  }

  @Override
  public Set<String> pairs() {
    return pairs.keySet();
  }

  @Override
  public List<String> withPair(String pair) {
    return pairs.getOrDefault(pair, List.of());
  }

  @Override
  public boolean givesState(String pair, String function) {
    return known().pair(known().get(function), pair).givesState();
  }

  @Override
  public StateType states(String function, List<Expression> arguments) {
    UdafCall call = known().bind(function, arguments(arguments)).call();
    return new StateType(
        function,
        call.arguments().stream()
            .map(
                argument ->
                    argument.constant() == null
                        ? StateType.ofRows(argument.kind())
                        : new Expression.Literal(argument.constant()))
            .toList());
  }

  @Override
  public boolean canMerge(StateType a, StateType b) {
    return bind(known(), a).stateType().equals(bind(known(), b).stateType());
  }

  @Override
  public @Nullable Gives check(String pair, StateType type, List<Expression> parameters) {
    try {
      AnswerType gives = known().bindPair(bind(known(), type), pair, arguments(parameters)).type();
      return gives == null
          ? null
          : new Gives(gives.isList() ? ValueKind.TEXT : gives.value(), gives.isList());
    } catch (UdafException e) {
      throw new CallException(String.valueOf(e.getMessage()), e.argument());
    }
  }

  @Override
  public String laterDefault(String function, int arguments) {
    return known().get(function).laterDefault(arguments);
  }

  @Override
  public StateEvaluation evaluation(Expression.OfStates call) {
    return new CallEvaluation(known(), call);
  }

  private static BoundUdaf bind(Udafs functions, StateType type) {
    return functions.bind(type.function(), arguments(type.arguments()));
  }

  /** Of an expression's states. */
  static BoundUdaf function(Udafs functions, Expression states) {
    return bind(functions, StateType.required(states));
  }

  /**
   * The part of an answer that a query shows: of an estimate; a list is shown whole. What a
   * function of one's own leaves null is NULL.
   */
  public static Value value(@Nullable Answer answer, StateValue.Part part) {
    if (answer instanceof Items items) {
      return Value.ofText(ItemsJson.of(items));
    }
    Estimate estimate = answer == null ? Estimate.NULL : (Estimate) answer;
    Value value =
        switch (part) {
          case VALUE -> estimate.value();
          case LOWER -> estimate.lower();
          case UPPER -> estimate.upper();
        };
    return Objects.requireNonNullElse(value, Value.NULL);
  }

  @Override
  public Way exact(String function, String name) {
    for (Extractor extractor : known().get(function).extractors()) {
      if (extractor.name().equals(name)) {
        return extractor.exact();
      }
    }
    throw new IllegalArgumentException("no extractor " + name);
  }

  @Override
  public boolean isExact(String function, List<Expression> arguments) {
    return known().bind(function, arguments(arguments)).isExact();
  }

  @Override
  public List<Expression> exactArguments(String function, List<Expression> arguments) {
    List<Value> parameters = known().get(function).exactParameters();
    if (parameters == null) {
      throw new IllegalArgumentException(function + " has no parameters that make it exact");
    }
    int ofRows = known().bind(function, arguments(arguments)).arguments();
    List<Expression> exact = new ArrayList<>(arguments.subList(0, ofRows));
    parameters.forEach(value -> exact.add(new Expression.Literal(value)));
    return exact;
  }

  @Override
  public Way exactOfPair(String function, String pair) {
    return known().pair(known().get(function), pair).exact();
  }

  /** The function of a call without parameters, which makes a state or extracts a value. */
  public static BoundUdaf function(AggregateCall call) {
    return known().bind(call.state().function(), arguments(call.callArguments()));
  }

  /** The extractor of a call that is not a state itself, for states of a function. */
  public static BoundExtractor extractor(BoundUdaf function, AggregateCall call) {
    return known()
        .bindExtractor(function, call.state().extractor(), arguments(call.state().parameters()));
  }

  static List<UdafCall.Argument> arguments(List<Expression> expressions) {
    return expressions.stream()
        .map(
            expression ->
                expression instanceof Expression.Literal literal
                    ? UdafCall.Argument.of(literal.value())
                    : UdafCall.Argument.ofRows(expression.kind()))
        .toList();
  }
}
