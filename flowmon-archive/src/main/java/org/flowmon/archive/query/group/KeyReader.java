package org.flowmon.archive.query.group;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.flowmon.archive.query.group.table.PackedKey;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.query.plan.NumberedKeys;
import org.flowmon.archive.segment.reader.EncodedRows;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.vector.Vector;

/** Reads the keys of rows as one long each. Not thread-safe. */
final class KeyReader {
  /** The address numbers of a column in the current rows. */
  private static final class Addresses {
    private final FlowColumn column;
    private final int ofNull;
    private final int[] values = new int[Vector.CAPACITY];
    private Optional<int[]> numbers = Optional.empty(); // by id, if the segment has a value

    Addresses(FlowColumn column, int ofNull) {
      this.column = column;
      this.ofNull = ofNull;
    }

    void read(EncodedRows rows, int from, int count) {
      if (numbers.isEmpty()) {
        Arrays.fill(values, 0, count, ofNull);
        return;
      }
      rows.readIds(column, from, count, values);
      int[] known = numbers.get();
      if (rows.presence(column) == Presence.NULLABLE) {
        for (int i = 0; i < count; i++) {
          values[i] = values[i] < 0 ? ofNull : known[values[i]];
        }
        return;
      }
      for (int i = 0; i < count; i++) {
        values[i] = known[values[i]];
      }
    }
  }

  /** The CASE branch of each row. */
  private static final class Branches {
    private final List<Expression> conditions;
    private final CompiledPredicate[] predicates;
    private final Optional<FlowColumn> flag; // the only condition, if it is a flag
    private final long[] flags = new long[Vector.CAPACITY];
    private final int[] chosen = new int[Vector.CAPACITY];
    private final int[] selection = new int[Vector.CAPACITY];

    Branches(List<Expression> conditions) {
      this.conditions = conditions;
      this.flag =
          conditions.size() == 1 && conditions.get(0) instanceof Expression.Column one
              ? Optional.of(one.column())
              : Optional.empty();
      this.predicates =
          conditions.stream().map(CompiledPredicate::of).toArray(CompiledPredicate[]::new);
    }

    void read(EncodedRows rows, int from, int count) {
      if (flag.isPresent() && isNeverNull(rows.presence(flag.get()))) {
        rows.readLongs(flag.get(), from, count, flags);
        for (int i = 0; i < count; i++) {
          chosen[i] = flags[i] != 0 ? 0 : 1;
        }
        return;
      }
      Arrays.fill(chosen, 0, count, predicates.length);
      for (int b = predicates.length - 1; b >= 0; b--) {
        int n = predicates[b].select(rows, from, count, selection);
        for (int i = 0; i < n; i++) {
          chosen[selection[i]] = b;
        }
      }
    }
  }

  private static boolean isNeverNull(Presence presence) {
    return presence == Presence.DENSE || presence == Presence.CONSTANT;
  }

  /** One key of rows, before it is packed into their longs. */
  private interface Part {
    void read(EncodedRows rows, int from, int count);

    /** Adds the key to the longs of rows, whose bits for it are 0. */
    void addTo(long[] out, int count);

    /** Sets the longs of rows, whatever they hold. */
    void writeTo(long[] out, int count);
  }

  /** A key of address numbers, which are int. */
  private abstract static class NumbersPart implements Part {
    private final int shift;

    NumbersPart(int shift) {
      this.shift = shift;
    }

    abstract int[] numbers();

    @Override
    public void addTo(long[] out, int count) {
      int[] values = numbers();
      for (int i = 0; i < count; i++) {
        out[i] |= (long) values[i] << shift;
      }
    }

    @Override
    public void writeTo(long[] out, int count) {
      int[] values = numbers();
      for (int i = 0; i < count; i++) {
        out[i] = (long) values[i] << shift;
      }
    }
  }

  /** The number of a column's address. */
  private static final class AddressPart extends NumbersPart {
    private final Addresses addresses;

    AddressPart(Addresses addresses, int shift) {
      super(shift);
      this.addresses = addresses;
    }

    @Override
    public void read(EncodedRows rows, int from, int count) {} // read with all columns of addresses

    @Override
    int[] numbers() {
      return addresses.values;
    }
  }

  /** The number of the address that a CASE chooses. */
  private static final class CasePart extends NumbersPart {
    private final int[] chosen;
    private final int[][] results; // by branch, the last one if none is taken
    private final int[] out = new int[Vector.CAPACITY];

    CasePart(int[] chosen, int[][] results, int shift) {
      super(shift);
      this.chosen = chosen;
      this.results = results;
    }

    @Override
    public void read(EncodedRows rows, int from, int count) {
      int[] branch = chosen;
      int[] to = out;
      if (results.length == 2) {
        int[] first = results[0];
        int[] second = results[1];
        for (int i = 0; i < count; i++) {
          // Without a branch, which would be unpredictable.
          to[i] = first[i] ^ ((first[i] ^ second[i]) & -branch[i]);
        }
        return;
      }
      for (int i = 0; i < count; i++) {
        to[i] = results[branch[i]][i];
      }
    }

    @Override
    int[] numbers() {
      return out;
    }
  }

  /** The value of a column of numbers. */
  private static final class ColumnPart implements Part {
    private final FlowColumn column;
    private final PackedKey packed;
    private final long[] values = new long[Vector.CAPACITY];
    private final long[] valid = new long[Vector.CAPACITY >>> 6];

    ColumnPart(FlowColumn column, PackedKey packed) {
      this.column = column;
      this.packed = packed;
    }

    @Override
    public void read(EncodedRows rows, int from, int count) {
      rows.readLongs(column, from, count, values);
      if (!isNeverNull(rows.presence(column))) {
        rows.readValidity(column, from, count, valid);
        for (int i = 0; i < count; i++) {
          values[i] = (valid[i >>> 6] >>> i & 1) != 0 ? values[i] : packed.ofNull();
        }
      }
    }

    @Override
    public void addTo(long[] out, int count) {
      for (int i = 0; i < count; i++) {
        out[i] |= values[i] << packed.shift();
      }
    }

    @Override
    public void writeTo(long[] out, int count) {
      for (int i = 0; i < count; i++) {
        out[i] = values[i] << packed.shift();
      }
    }
  }

  private final AddressNumbers numbers;
  // Columns that several keys may share are read once.
  private final Map<FlowColumn, Addresses> addresses = new TreeMap<>();
  private final List<Branches> branches = new ArrayList<>();
  private final Part[] parts;

  /** All addresses of {@code packed} have the same numbers. */
  KeyReader(PackedKeys packed) {
    this.numbers = packed.numbers(0);
    PackedKey[] packing = packed.packing();
    this.parts = new Part[packing.length];
    for (int k = 0; k < parts.length; k++) {
      NumberedKeys.Key key = packed.keys().keys().get(k);
      int shift = packing[k].shift();
      if (key instanceof NumberedKeys.AddressKey one) {
        parts[k] = new AddressPart(addresses(one.column()), shift);
      } else if (key instanceof NumberedKeys.CaseKey choice) {
        parts[k] = casePart(choice, shift);
      } else {
        parts[k] = new ColumnPart(((NumberedKeys.NumberKey) key).column(), packing[k]);
      }
    }
  }

  private Addresses addresses(FlowColumn column) {
    return addresses.computeIfAbsent(column, c -> new Addresses(c, numbers.ofNull()));
  }

  private Part casePart(NumberedKeys.CaseKey choice, int shift) {
    int[] nulls = new int[Vector.CAPACITY];
    Arrays.fill(nulls, numbers.ofNull());
    int[][] results = new int[choice.results().size()][];
    for (int b = 0; b < results.length; b++) {
      results[b] = choice.results().get(b).map(c -> addresses(c).values).orElse(nulls);
    }
    return new CasePart(branches(choice.conditions()).chosen, results, shift);
  }

  private Branches branches(List<Expression> conditions) {
    for (Branches known : branches) {
      if (known.conditions.equals(conditions)) {
        return known;
      }
    }
    Branches added = new Branches(conditions);
    branches.add(added);
    return added;
  }

  void begin(SegmentReader segment) {
    addresses.forEach((column, values) -> values.numbers = numbers.of(segment.sealed(), column));
  }

  /** The keys of {@code count} ≤ {@link Vector#CAPACITY} rows from row {@code from}. */
  void read(EncodedRows rows, int from, int count, long[] out) {
    for (Addresses one : addresses.values()) {
      one.read(rows, from, count);
    }
    for (Branches one : branches) {
      one.read(rows, from, count);
    }
    for (int k = 0; k < parts.length; k++) {
      parts[k].read(rows, from, count);
      if (k == 0) {
        parts[k].writeTo(out, count);
      } else {
        parts[k].addTo(out, count);
      }
    }
  }
}
