package org.flowmon.udaf.constraint;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.set.AddressRanges;
import org.flowmon.udaf.set.LongRanges;
import org.jspecify.annotations.Nullable;

/**
 * Necessary conditions on the rows of a filter, as ranges per column: for pruning files, pages and
 * postings. They over-approximate, so the filter is always evaluated again. Each constrained column
 * is not NULL and in its ranges, and a member of each of the {@link #alternatives} holds.
 */
public final class Constraints {
  public static final Constraints NOTHING = new Constraints(Map.of(), Map.of(), List.of());

  private final Map<FlowColumn, LongRanges> longs;
  private final Map<FlowColumn, AddressRanges> addresses;
  private final List<List<Constraints>> alternatives;

  Constraints(
      Map<FlowColumn, LongRanges> longs,
      Map<FlowColumn, AddressRanges> addresses,
      List<List<Constraints>> alternatives) {
    this.longs = longs.isEmpty() ? Map.of() : new TreeMap<>(longs);
    this.addresses = addresses.isEmpty() ? Map.of() : new TreeMap<>(addresses);
    this.alternatives = List.copyOf(alternatives);
  }

  /** Of a bound filter, null for none. */
  public static Constraints of(@Nullable Expression where) {
    return where == null ? NOTHING : ConstraintRules.whereTrue(where);
  }

  /** The ranges of a numeric, boolean or time column, null if it is not constrained. */
  public @Nullable LongRanges longs(FlowColumn column) {
    return longs.get(column);
  }

  public @Nullable AddressRanges addresses(FlowColumn column) {
    return addresses.get(column);
  }

  /** Disjunctions beyond ranges per column, such as {@code src_addr = x OR dst_addr = x}. */
  public List<List<Constraints>> alternatives() {
    return alternatives;
  }

  public boolean isImpossible() {
    return longs.values().stream().anyMatch(LongRanges::isEmpty)
        || addresses.values().stream().anyMatch(AddressRanges::isEmpty)
        || alternatives.stream().anyMatch(any -> any.stream().allMatch(Constraints::isImpossible));
  }

  Map<FlowColumn, LongRanges> longs() {
    return longs;
  }

  Map<FlowColumn, AddressRanges> addresses() {
    return addresses;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Constraints that
        && longs.equals(that.longs)
        && addresses.equals(that.addresses)
        && alternatives.equals(that.alternatives);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * longs.hashCode() + addresses.hashCode()) + alternatives.hashCode();
  }

  @Override
  public String toString() {
    return "longs " + longs + ", addresses " + addresses + ", alternatives " + alternatives;
  }
}
