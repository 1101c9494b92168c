package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpPrefix;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.udaf.enrich.DerivedColumn;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * An expression over a flow, a row of a result table, or a group (with an {@link AggregateCall}, or
 * in SELECT, HAVING or ORDER BY of a grouped query), in SQL's three-valued logic. {@code
 * QueryParser} builds them: the records themselves do not check types.
 */
public sealed interface Expression
    permits AggregateCall,
        Expression.Column,
        Expression.Enriched,
        Expression.Derived,
        Expression.Named,
        Expression.Literal,
        Expression.Prefix,
        Expression.Parameter,
        Expression.RowNumber,
        Expression.Condition,
        Expression.Arithmetic,
        Expression.Case,
        Expression.Network,
        Expression.TimeBucket,
        Expression.DaysBefore,
        Expression.OfStates {
  /** Null if it depends on a parameter, or the value is always NULL. */
  @Nullable ValueKind kind();

  /** An expression that is TRUE, FALSE or NULL. */
  sealed interface Condition extends Expression
      permits Comparison, And, Or, Not, In, InQuery, IsNull, IsTruth, Like, SameHour {
    @Override
    default ValueKind kind() {
      return ValueKind.BOOLEAN;
    }
  }

  /** A column of the flow. */
  record Column(FlowColumn column) implements Expression {
    @Override
    public ValueKind kind() {
      return ValueKind.of(column.type());
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /**
   * A column that is joined to the flow: the table is there once a query is enriched.
   *
   * @param keys what the table is asked for: stored columns, or one that another table completes
   * @param lookup gives the version of the table to be used; two are equal if it is one object
   */
  record Enriched(EnrichedColumn column, List<Expression> keys, Optional<Supplier<Lookup>> lookup)
      implements Expression {
    public Enriched {
      keys = List.copyOf(keys);
    }

    public Enriched(EnrichedColumn column) {
      this(column, column.keys().stream().<Expression>map(Column::new).toList(), Optional.empty());
    }

    @Override
    public ValueKind kind() {
      return column.kind();
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /**
   * A column that follows from stored ones.
   *
   * @param keys what it is made of: its role if it takes one, and stored columns
   */
  record Derived(DerivedColumn column, List<Expression> keys) implements Expression {
    public Derived {
      keys = List.copyOf(keys);
    }

    public Derived(DerivedColumn column) {
      this(column, keys(column));
    }

    private static List<Expression> keys(DerivedColumn column) {
      List<Expression> keys = new ArrayList<>();
      if (column.takesRole()) {
        keys.add(new Derived(DerivedColumn.ROLE));
      }
      column.columns().forEach(stored -> keys.add(new Column(stored)));
      return keys;
    }

    @Override
    public ValueKind kind() {
      return column.kind();
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /**
   * A column of a result table.
   *
   * @param table the query's name for it; null for a single table without a name
   * @param isWide whether its whole numbers may be beyond 64 bits, as sums are
   * @param codeNames null if it has none
   * @param states the type of the states in its texts, null if they are none
   * @param isList whether its texts are lists of items, as JSON
   */
  record Named(
      @Nullable String table,
      String name,
      @Nullable ValueKind kind,
      boolean isWide,
      @Nullable CodeNames codeNames,
      @Nullable StateType states,
      boolean isList)
      implements Expression {
    public Named(String name, @Nullable ValueKind kind) {
      this(null, name, kind, false, null, null, false);
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** A constant. */
  record Literal(Value value) implements Expression {
    @Override
    public @Nullable ValueKind kind() {
      return value.kind();
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** A range of addresses; only as an item of {@link In}. */
  record Prefix(IpPrefix prefix) implements Expression {
    @Override
    public ValueKind kind() {
      return ValueKind.ADDRESS;
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /**
   * Written {@code :name}; as an item of {@link In} it may stand for a list of values.
   *
   * @param kind of the values if it is known before they are bound
   */
  record Parameter(String name, @Nullable ValueKind kind) implements Expression {
    public Parameter(String name) {
      this(name, null);
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** The operator of a {@link Comparison}. */
  enum ComparisonOperator {
    EQUAL("="),
    NOT_EQUAL("<>"),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">=");

    private final String sql;

    ComparisonOperator(String sql) {
      this.sql = sql;
    }

    public String sql() {
      return sql;
    }

    public ComparisonOperator swapped() {
      return switch (this) {
        case EQUAL, NOT_EQUAL -> this;
        case LESS -> GREATER;
        case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
        case GREATER -> LESS;
        case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
      };
    }

    public ComparisonOperator negated() {
      return switch (this) {
        case EQUAL -> NOT_EQUAL;
        case NOT_EQUAL -> EQUAL;
        case LESS -> GREATER_OR_EQUAL;
        case LESS_OR_EQUAL -> GREATER;
        case GREATER -> LESS_OR_EQUAL;
        case GREATER_OR_EQUAL -> LESS;
      };
    }
  }

  /** NULL if a side is NULL. Sides are of one kind, or LONG and DOUBLE. */
  record Comparison(ComparisonOperator operator, Expression left, Expression right)
      implements Condition {
    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** FALSE if a term is FALSE, else NULL if one is NULL, else TRUE. BETWEEN is parsed to this. */
  record And(List<Expression> terms) implements Condition {
    public And {
      terms = List.copyOf(terms);
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** TRUE if a term is TRUE, else NULL if one is NULL, else FALSE. */
  record Or(List<Expression> terms) implements Condition {
    public Or {
      terms = List.copyOf(terms);
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** NULL stays NULL. */
  record Not(Expression term) implements Condition {
    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /**
   * Whether the value equals an item or is in a {@link Prefix}; NULL if it is NULL, or nothing
   * matches and an item is NULL. Parameters are items until bound; one's empty list matches
   * nothing.
   */
  record In(Expression value, List<Expression> items) implements Condition {
    public In {
      items = List.copyOf(items);
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** Whether it is in a query's one column; an {@link In} once that query is answered. */
  record InQuery(Expression value, Query query) implements Condition {
    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** Never NULL itself. */
  record IsNull(Expression term) implements Condition {
    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** {@code IS TRUE} or {@code IS FALSE}: never NULL itself. */
  record IsTruth(Expression term, boolean truth) implements Condition {
    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /**
   * Whether the text matches as a whole; NULL if it is NULL.
   *
   * @param pattern {@code %} stands for any code points, {@code _} for one, and a backslash before
   *     one of the three for that itself
   */
  record Like(Expression text, String pattern) implements Condition {
    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** The operator of an {@link Arithmetic}. */
  enum ArithmeticOperator {
    ADD("+"),
    SUBTRACT("-"),
    MULTIPLY("*"),
    DIVIDE("/"),
    REMAINDER("%"),
    BIT_AND("&"),
    BIT_OR("|");

    private final String sql;

    ArithmeticOperator(String sql) {
      this.sql = sql;
    }

    public String sql() {
      return sql;
    }
  }

  /**
   * NULL if a side is NULL, a whole result does not fit 64 bits, or a divisor is 0. {@code /} of
   * numbers gives a DOUBLE. The kind is null while it depends on a parameter.
   */
  record Arithmetic(
      ArithmeticOperator operator, Expression left, Expression right, @Nullable ValueKind kind)
      implements Expression {
    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** {@code ROW_NUMBER() OVER ()}: an item of a query over results, the place of the row in it. */
  record RowNumber() implements Expression {
    @Override
    public ValueKind kind() {
      return ValueKind.LONG;
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** One branch of {@link Case}. */
  record When(Expression condition, Expression result) {}

  /** The first TRUE branch's result; without ELSE {@code otherwise} is {@link Value#NULL}. */
  record Case(List<When> whens, Expression otherwise, @Nullable ValueKind kind)
      implements Expression {
    public Case {
      whens = List.copyOf(whens);
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** The first address of the address's network of so many bits in its family. */
  record Network(Expression address, int ipv4Bits, int ipv6Bits) implements Expression {
    @Override
    public ValueKind kind() {
      return ValueKind.ADDRESS;
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** The largest multiple of the width since 1970-01-01T00:00:00Z at or before the time. */
  record TimeBucket(Expression time, long widthMicros) implements Expression {
    @Override
    public ValueKind kind() {
      return ValueKind.TIMESTAMP;
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /**
   * Whether the time is in [now − 24 h · i, now − 24 h · i + length) for an i of 1 … days.
   *
   * @param lengthMicros an hour if none is written; at most a day
   */
  record SameHour(Expression time, Expression now, int days, long lengthMicros)
      implements Condition {
    public static final long HOUR_MICROS = 3_600_000_000L;

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /** (now − time) / 24 h rounded up: within {@link SameHour} this is its i. */
  record DaysBefore(Expression time, Expression now) implements Expression {
    @Override
    public ValueKind kind() {
      return ValueKind.LONG;
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }

  /**
   * A function of existing states, NULL being one without rows: a value of one, as {@code
   * MEDIAN(state)}, or a result of two, as {@code DIFFERENCE(a, b)} and {@code CHANGES(a, b,
   * 0.01)}.
   *
   * @param name of the extractor, or of the function of two states, in capitals
   * @param of one or two expressions that give states, by {@link StateType#of}
   * @param parameters after the states: constants, or parameters until they are bound
   * @param part the value or one of its bounds
   * @param kind of the value; null while a parameter is open
   * @param isList whether it is a list of items, written as a text
   * @param states the type of the resulting states; null if it gives values
   */
  record OfStates(
      String name,
      List<Expression> of,
      List<Expression> parameters,
      StateValue.Part part,
      @Nullable ValueKind kind,
      boolean isList,
      @Nullable StateType states)
      implements Expression {
    public OfStates {
      of = List.copyOf(of);
      parameters = List.copyOf(parameters);
    }

    public FunctionCatalogue.StateEvaluation evaluation() {
      return Functions.catalogue().evaluation(this);
    }

    public boolean hasBounds() {
      return states == null && !isList && part == StateValue.Part.VALUE;
    }

    public OfStates bound(StateValue.Part other) {
      return new OfStates(name, of, parameters, other, kind, isList, states);
    }

    @Override
    public String toString() {
      return SqlText.of(this);
    }
  }
}
