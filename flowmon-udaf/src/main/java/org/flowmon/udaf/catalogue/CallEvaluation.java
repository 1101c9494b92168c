package org.flowmon.udaf.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.flowmon.udaf.function.Answer;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.OfStates;
import org.flowmon.udaf.query.FunctionCatalogue.StateEvaluation;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/** Evaluates a call of a function of states, without serializing the states of nested calls. */
final class CallEvaluation implements StateEvaluation {
  /** Gives a read-only state of the current row. */
  private interface States {
    SuperState state();
  }

  /** The states in a column. */
  private static final class Input implements States {
    private final BoundUdaf function;
    private final SuperAggregate high;
    private @Nullable String text;
    private SuperState state;

    Input(BoundUdaf function, SuperAggregate high) {
      this.function = function;
      this.high = high;
      this.state = high.initialize();
    }

    void set(@Nullable String next) {
      if (Objects.equals(next, text)) { // unchanged since the previous row
        return;
      }
      text = next;
      state = high.initialize();
      if (next != null) {
        try {
          ExportedState.ofText(next).mergeInto(state);
        } catch (StateFormatException e) {
          QueryException error =
              new QueryException("expected a state of " + function.call() + ": " + e.getMessage());
          error.initCause(e);
          throw error;
        }
      }
    }

    @Override
    public SuperState state() {
      return state;
    }
  }

  private final Udafs functions;
  private final List<Expression> inputs = new ArrayList<>();
  private final List<Input> states = new ArrayList<>();
  // It makes all states, so that they can be merged and share its scratch memory.
  private @Nullable SuperAggregate high;
  private final Supplier<Value> root;

  CallEvaluation(Udafs functions, OfStates call) {
    this.functions = functions;
    this.root = root(call);
  }

  private Supplier<Value> root(OfStates call) {
    if (call.of().size() == 1) {
      BoundUdaf function = function(call.of().get(0));
      BoundExtractor extractor =
          functions.bindExtractor(
              function, call.name(), UdafCatalogue.arguments(call.parameters()));
      States of = states(call.of().get(0));
      return () -> UdafCatalogue.value(extractor.extract(of.state()), call.part());
    }
    PairFunction.Bound pair = pair(call);
    if (call.states() == null) {
      States first = states(call.of().get(0));
      States second = states(call.of().get(1));
      BiFunction<SuperState, SuperState, Answer> answer =
          Objects.requireNonNull(pair.answer(), "it makes no state");
      return () -> UdafCatalogue.value(answer.apply(first.state(), second.state()), call.part());
    }
    BoundUdaf function = function(call);
    States made = states(call);
    return () -> Value.ofText(ExportedState.of(function, made.state()).toText());
  }

  private PairFunction.Bound pair(OfStates call) {
    BoundUdaf function = function(call.of().get(0));
    return functions.bindPair(function, call.name(), UdafCatalogue.arguments(call.parameters()));
  }

  private BoundUdaf function(Expression states) {
    return UdafCatalogue.function(functions, states);
  }

  private States states(Expression expression) {
    if (expression instanceof OfStates call && call.states() != null) {
      PairFunction.Bound pair = pair(call);
      States first = states(call.of().get(0));
      States second = states(call.of().get(1));
      BinaryOperator<SuperState> state = Objects.requireNonNull(pair.state(), "it makes states");
      return () -> state.apply(first.state(), second.state());
    }
    int known = inputs.indexOf(expression);
    if (known >= 0) {
      return states.get(known);
    }
    BoundUdaf function = function(expression);
    high = high == null ? function.superAggregate() : high;
    Input input = new Input(function, high);
    inputs.add(expression);
    states.add(input);
    return input;
  }

  @Override
  public List<Expression> inputs() {
    return List.copyOf(inputs);
  }

  @Override
  public Value of(@Nullable String[] texts) {
    for (int s = 0; s < texts.length; s++) {
      states.get(s).set(texts[s]);
    }
    return root.get();
  }
}
