package org.flowmon.udaf.constraint;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.Expression.Derived;
import org.flowmon.udaf.query.Expression.Enriched;
import org.flowmon.udaf.query.Expression.In;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Network;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.Prefix;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.set.AddressRanges;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** Derives {@link Constraints} of a TRUE or, below NOT, FALSE condition; without a rule none. */
final class ConstraintRules {
  private static final long HOUR = 3_600_000_000L;
  private static final long DAY = 24 * HOUR;

  /** Larger alternatives are dropped to keep pruning cheap. */
  private static final int MAX_ALTERNATIVES = 64;

  /** More ranges of a country or network are dropped likewise. */
  private static final int MAX_ENRICHED_RANGES = 1024;

  private static final Constraints IMPOSSIBLE =
      new Constraints(Map.of(FlowColumn.ARRIVAL, LongRanges.NONE), Map.of(), List.of());

  private ConstraintRules() {}

  static Constraints whereTrue(Expression where) {
    return derive(where, true);
  }

  private static Constraints derive(Expression condition, boolean truth) {
    if (condition instanceof And and) {
      return truth ? all(and.terms(), true) : any(and.terms(), false);
    } else if (condition instanceof Or or) {
      return truth ? any(or.terms(), true) : all(or.terms(), false);
    } else if (condition instanceof Not not) {
      return derive(not.term(), !truth);
    } else if (condition instanceof IsTruth isTruth) {
      // IS TRUE is FALSE also if its term is NULL: then nothing follows.
      return truth ? derive(isTruth.term(), isTruth.truth()) : Constraints.NOTHING;
    } else if (condition instanceof Literal literal) {
      boolean holds = !literal.value().isNull() && (literal.value().low() != 0) == truth;
      return holds ? Constraints.NOTHING : IMPOSSIBLE;
    } else if (condition instanceof Column column) {
      return longs(column.column(), LongRanges.of(truth ? 1 : 0, truth ? 1 : 0));
    } else if (condition instanceof Comparison comparison) {
      ComparisonOperator operator = truth ? comparison.operator() : comparison.operator().negated();
      Expression left = ConstantFolding.of(comparison.left());
      return left instanceof Literal
          ? comparison(operator.swapped(), comparison.right(), left)
          : comparison(operator, left, ConstantFolding.of(comparison.right()));
    } else if (condition instanceof In in) {
      return in(in, truth);
    } else if (condition instanceof SameHour hour && truth) {
      return sameHour(hour);
    }
    return Constraints.NOTHING;
  }

  private static Constraints comparison(
      ComparisonOperator operator, Expression left, Expression right) {
    if (!(right instanceof Literal literal)) {
      return Constraints.NOTHING;
    }
    Value value = literal.value();
    ValueKind kind = value.kind();
    if (kind == null) {
      return IMPOSSIBLE; // a comparison with NULL is neither TRUE nor FALSE
    }
    if (left instanceof Column column) {
      if (kind == ValueKind.ADDRESS) {
        return addresses(
            column.column(), addressRanges(operator, new IpAddress(value.high(), value.low())));
      }
      return kind.isInteger()
          ? longs(column.column(), longRanges(operator, value.low()))
          : Constraints.NOTHING;
    }
    if (left instanceof Derived derived
        && kind == ValueKind.ADDRESS
        && operator == ComparisonOperator.EQUAL) {
      return role(derived, addressRanges(operator, new IpAddress(value.high(), value.low())));
    }
    if (left instanceof Enriched enriched && operator == ComparisonOperator.EQUAL) {
      return enriched(enriched, List.of(literal));
    }
    if (left instanceof TimeBucket bucket && bucket.time() instanceof Column column) {
      return longs(column.column(), bucketed(operator, value.low(), bucket.widthMicros()));
    }
    if (left instanceof Network network
        && network.address() instanceof Column column
        && operator == ComparisonOperator.EQUAL) {
      return addresses(column.column(), network(network, new IpAddress(value.high(), value.low())));
    }
    return Constraints.NOTHING;
  }

  private static LongRanges longRanges(ComparisonOperator operator, long value) {
    return switch (operator) {
      case EQUAL -> LongRanges.of(value, value);
      case NOT_EQUAL -> LongRanges.of(value, value).complement();
      case LESS ->
          value == Long.MIN_VALUE ? LongRanges.NONE : LongRanges.of(Long.MIN_VALUE, value - 1);
      case LESS_OR_EQUAL -> LongRanges.of(Long.MIN_VALUE, value);
      case GREATER ->
          value == Long.MAX_VALUE ? LongRanges.NONE : LongRanges.of(value + 1, Long.MAX_VALUE);
      case GREATER_OR_EQUAL -> LongRanges.of(value, Long.MAX_VALUE);
    };
  }

  private static AddressRanges addressRanges(ComparisonOperator operator, IpAddress value) {
    return switch (operator) {
      case EQUAL -> AddressRanges.of(value, value);
      case NOT_EQUAL -> AddressRanges.of(value, value).complement();
      case LESS -> AddressRanges.atLeast(value).complement();
      case LESS_OR_EQUAL -> AddressRanges.atMost(value);
      case GREATER -> AddressRanges.atMost(value).complement();
      case GREATER_OR_EQUAL -> AddressRanges.atLeast(value);
    };
  }

  /** The times of such buckets: a range, widened by one bucket on one side if needed. */
  private static LongRanges bucketed(ComparisonOperator operator, long value, long width) {
    long reach = value > Long.MAX_VALUE - width ? Long.MAX_VALUE : value + width - 1;
    return switch (operator) {
      case EQUAL -> LongRanges.of(value, reach);
      case NOT_EQUAL -> LongRanges.ALL;
      case LESS, LESS_OR_EQUAL -> LongRanges.of(Long.MIN_VALUE, reach);
      case GREATER, GREATER_OR_EQUAL -> LongRanges.of(value, Long.MAX_VALUE);
    };
  }

  private static AddressRanges network(Network network, IpAddress value) {
    org.flowmon.flow.IpPrefix prefix =
        new org.flowmon.flow.IpPrefix(
            value, value.isIpv4() ? network.ipv4Bits() : network.ipv6Bits());
    return prefix.first().equals(value) ? AddressRanges.of(prefix) : AddressRanges.NONE;
  }

  private static Constraints in(In in, boolean truth) {
    if (in.value() instanceof Network network && network.address() instanceof Column column) {
      return truth ? inNetworks(in, network, column) : Constraints.NOTHING;
    }
    if (in.value() instanceof Derived derived && derived.kind() == ValueKind.ADDRESS) {
      return truth ? role(derived, inAddresses(in)) : Constraints.NOTHING;
    }
    if (in.value() instanceof Enriched enriched && truth) {
      return enriched(enriched, in.items());
    }
    if (!(in.value() instanceof Column column)) {
      return Constraints.NOTHING;
    }
    boolean hasNull = in.items().stream().anyMatch(item -> item.kind() == null);
    if (!truth && hasNull) {
      return IMPOSSIBLE; // NOT IN with a NULL in the list is never TRUE
    }
    if (!truth && in.items().isEmpty()) {
      return Constraints.NOTHING; // an empty list contains nothing, not even NULL
    }
    if (column.kind() == ValueKind.ADDRESS) {
      AddressRanges ranges = inAddresses(in);
      return addresses(column.column(), truth ? ranges : ranges.complement());
    }
    if (!column.kind().isInteger()) {
      return in.items().isEmpty() ? IMPOSSIBLE : Constraints.NOTHING;
    }
    for (Expression item : in.items()) {
      if (item.kind() != null && !item.kind().isInteger()) {
        return Constraints.NOTHING;
      }
    }
    long[] points =
        in.items().stream()
            .filter(item -> item.kind() != null)
            .mapToLong(item -> ((Literal) item).value().low())
            .toArray();
    LongRanges ranges = LongRanges.ofPoints(points);
    return longs(column.column(), truth ? ranges : ranges.complement());
  }

  private static Constraints inNetworks(In in, Network network, Column column) {
    List<AddressRanges.Range> ranges = new ArrayList<>();
    for (Expression item : in.items()) {
      if (!(item instanceof Literal literal)) {
        return Constraints.NOTHING;
      }
      if (!literal.value().isNull()) {
        IpAddress value = new IpAddress(literal.value().high(), literal.value().low());
        ranges.addAll(network(network, value).ranges());
      }
    }
    return addresses(column.column(), AddressRanges.of(ranges));
  }

  /** A client or server is the source or the destination. */
  private static Constraints role(Derived derived, AddressRanges ranges) {
    return union(
        derived.column().columns().stream().map(column -> addresses(column, ranges)).toList());
  }

  /** The addresses of some texts, if they are few and the query keeps the table's version. */
  private static Constraints enriched(Enriched enriched, List<Expression> texts) {
    Supplier<Lookup> supplier = enriched.lookup().orElse(Lookup.NONE);
    if (enriched.column().keys().size() != 1 || !(supplier instanceof Lookup lookup)) {
      return Constraints.NOTHING;
    }
    List<AddressRanges.Range> ranges = new ArrayList<>();
    for (Expression item : texts) {
      if (!(item instanceof Literal literal)) {
        return Constraints.NOTHING;
      }
      boolean areKnown =
          literal.value().isNull() // equal to nothing
              || lookup.ranges(
                  literal.value().text(),
                  MAX_ENRICHED_RANGES - ranges.size(),
                  (firstHi, firstLo, lastHi, lastLo) ->
                      ranges.add(
                          new AddressRanges.Range(
                              new IpAddress(firstHi, firstLo), new IpAddress(lastHi, lastLo))));
      if (!areKnown) {
        return Constraints.NOTHING;
      }
    }
    return addresses(enriched.column().keys().get(0), AddressRanges.of(ranges));
  }

  private static AddressRanges inAddresses(In in) {
    List<AddressRanges.Range> ranges = new ArrayList<>();
    for (Expression item : in.items()) {
      if (item instanceof Prefix prefix) {
        ranges.addAll(AddressRanges.of(prefix.prefix()).ranges());
      } else if (item instanceof Literal literal && !literal.value().isNull()) {
        IpAddress point = new IpAddress(literal.value().high(), literal.value().low());
        ranges.add(new AddressRanges.Range(point, point));
      }
    }
    return AddressRanges.of(ranges);
  }

  private static Constraints sameHour(SameHour hour) {
    if (!(hour.time() instanceof Column column)
        || !(ConstantFolding.of(hour.now()) instanceof Literal now)) {
      return Constraints.NOTHING;
    }
    if (now.value().isNull()) {
      return IMPOSSIBLE;
    }
    if (now.value().low() < Long.MIN_VALUE + (hour.days() + 1) * DAY) {
      return Constraints.NOTHING;
    }
    LongRanges ranges = LongRanges.NONE;
    for (int day = 1; day <= hour.days(); day++) {
      long start = now.value().low() - day * DAY;
      ranges = ranges.or(LongRanges.of(start, start + hour.lengthMicros() - 1));
    }
    return longs(column.column(), ranges);
  }

  private static Constraints longs(FlowColumn column, LongRanges ranges) {
    return new Constraints(Map.of(column, ranges), Map.of(), List.of());
  }

  private static Constraints addresses(FlowColumn column, AddressRanges ranges) {
    return new Constraints(Map.of(), Map.of(column, ranges), List.of());
  }

  private static Constraints all(List<Expression> terms, boolean truth) {
    Map<FlowColumn, LongRanges> longs = new TreeMap<>();
    Map<FlowColumn, AddressRanges> addresses = new TreeMap<>();
    List<List<Constraints>> alternatives = new ArrayList<>();
    for (Expression term : terms) {
      Constraints one = derive(term, truth);
      one.longs().forEach((column, ranges) -> longs.merge(column, ranges, LongRanges::and));
      one.addresses()
          .forEach((column, ranges) -> addresses.merge(column, ranges, AddressRanges::and));
      alternatives.addAll(one.alternatives());
    }
    return new Constraints(longs, addresses, alternatives);
  }

  private static Constraints any(List<Expression> terms, boolean truth) {
    List<Constraints> members = new ArrayList<>();
    for (Expression term : terms) {
      Constraints one = derive(term, truth);
      if (one.equals(Constraints.NOTHING)) {
        return Constraints.NOTHING;
      }
      if (!one.isImpossible()) {
        members.add(one);
      }
    }
    if (members.isEmpty()) {
      return IMPOSSIBLE;
    }
    if (members.size() == 1) {
      return members.get(0);
    }
    return union(members);
  }

  /** Of columns that all members constrain; the precision this loses stays as alternatives. */
  private static Constraints union(List<Constraints> members) {
    Map<FlowColumn, LongRanges> longs = new TreeMap<>();
    Map<FlowColumn, AddressRanges> addresses = new TreeMap<>();
    Set<FlowColumn> common = new HashSet<>(members.get(0).longs().keySet());
    Set<FlowColumn> commonAddresses = new HashSet<>(members.get(0).addresses().keySet());
    for (Constraints member : members) {
      common.retainAll(member.longs().keySet());
      commonAddresses.retainAll(member.addresses().keySet());
    }
    for (FlowColumn column : common) {
      members.forEach(member -> longs.merge(column, member.longs(column), LongRanges::or));
    }
    for (FlowColumn column : commonAddresses) {
      members.forEach(
          member -> addresses.merge(column, member.addresses(column), AddressRanges::or));
    }
    boolean lossless = members.stream().allMatch(member -> onlyOne(member, longs, addresses));
    boolean kept = !lossless && members.size() <= MAX_ALTERNATIVES;
    return new Constraints(longs, addresses, kept ? List.of(List.copyOf(members)) : List.of());
  }

  private static boolean onlyOne(
      Constraints member,
      Map<FlowColumn, LongRanges> longs,
      Map<FlowColumn, AddressRanges> addresses) {
    return longs.size() + addresses.size() == 1
        && member.alternatives().isEmpty()
        && member.longs().keySet().equals(longs.keySet())
        && member.addresses().keySet().equals(addresses.keySet());
  }
}
