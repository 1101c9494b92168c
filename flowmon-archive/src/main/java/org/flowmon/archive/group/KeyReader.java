package org.flowmon.archive.group;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.segment.EncodedRows;
import org.flowmon.archive.segment.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.Expression;

/** Reads the keys of rows as one long each. Not thread-safe. */
final class KeyReader {
  /** Numbers of the addresses of a column, of the rows that are read. */
  private static final class Addresses {
    private final FlowColumn column;
    private final int ofNull;
    private final int[] values = new int[Vector.CAPACITY];
    private int[] numbers; // by id of the segment; null where it has no value

    Addresses(FlowColumn column, int ofNull) {
      this.column = column;
      this.ofNull = ofNull;
    }

    void read(EncodedRows rows, int from, int count) {
      if (numbers == null) {
        Arrays.fill(values, 0, count, ofNull);
        return;
      }
      rows.readIds(column, from, count, values);
      int[] known = numbers;
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

  /** Which branch of a CASE rows take. */
  private static final class Branches {
    private final List<Expression> conditions;
    private final CompiledPredicate[] predicates;
    private final int[] chosen = new int[Vector.CAPACITY];
    private final int[] selection = new int[Vector.CAPACITY];

    Branches(List<Expression> conditions) {
      this.conditions = conditions;
      this.predicates =
          conditions.stream().map(CompiledPredicate::of).toArray(CompiledPredicate[]::new);
    }

    void read(EncodedRows rows, int from, int count) {
      Arrays.fill(chosen, 0, count, predicates.length);
      for (int b = predicates.length - 1; b >= 0; b--) {
        int n = predicates[b].select(rows, from, count, selection);
        for (int i = 0; i < n; i++) {
          chosen[selection[i]] = b;
        }
      }
    }
  }

  /** Adds a key to the longs of rows. */
  private interface Part {
    void add(EncodedRows rows, int from, int count, long[] out);
  }

  private final AddressNumbers numbers;
  // What several keys may share is read once.
  private final Map<FlowColumn, Addresses> addresses = new EnumMap<>(FlowColumn.class);
  private final List<Branches> branches = new ArrayList<>();
  private final Part[] parts;

  KeyReader(GroupPlan plan, AddressNumbers numbers, PackedKey[] packing) {
    this.numbers = numbers;
    for (FlowColumn column : plan.addresses()) {
      addresses.put(column, new Addresses(column, numbers.ofNull()));
    }
    this.parts = new Part[packing.length];
    for (int k = 0; k < parts.length; k++) {
      GroupPlan.Key key = plan.keys().get(k);
      int shift = packing[k].shift();
      if (key instanceof GroupPlan.AddressKey one) {
        int[] values = addresses.get(one.column()).values;
        parts[k] = (rows, from, count, out) -> add(values, shift, count, out);
      } else if (key instanceof GroupPlan.CaseKey choice) {
        parts[k] = casePart(choice, shift);
      } else {
        parts[k] = numberPart(((GroupPlan.NumberKey) key).column(), packing[k]);
      }
    }
  }

  private static void add(int[] values, int shift, int count, long[] out) {
    for (int i = 0; i < count; i++) {
      out[i] |= (long) values[i] << shift;
    }
  }

  private Part casePart(GroupPlan.CaseKey choice, int shift) {
    int[] chosen = branches(choice.conditions()).chosen;
    int[] nulls = new int[Vector.CAPACITY];
    Arrays.fill(nulls, numbers.ofNull());
    int[][] results = new int[choice.results().size()][];
    for (int b = 0; b < results.length; b++) {
      results[b] = choice.results().get(b).map(c -> addresses.get(c).values).orElse(nulls);
    }
    if (results.length == 2) {
      int[] first = results[0];
      int[] second = results[1];
      return (rows, from, count, out) -> {
        for (int i = 0; i < count; i++) {
          // Without a branch, which nobody could foretell.
          int value = first[i] ^ ((first[i] ^ second[i]) & -chosen[i]);
          out[i] |= (long) value << shift;
        }
      };
    }
    return (rows, from, count, out) -> {
      for (int i = 0; i < count; i++) {
        out[i] |= (long) results[chosen[i]][i] << shift;
      }
    };
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

  private static Part numberPart(FlowColumn column, PackedKey packed) {
    long[] values = new long[Vector.CAPACITY];
    long[] valid = new long[Vector.CAPACITY >>> 6];
    int shift = packed.shift();
    return (rows, from, count, out) -> {
      rows.readLongs(column, from, count, values);
      Presence presence = rows.presence(column);
      if (presence == Presence.NULLABLE || presence == Presence.ABSENT) {
        rows.readValidity(column, from, count, valid);
        for (int i = 0; i < count; i++) {
          values[i] = (valid[i >>> 6] >>> i & 1) != 0 ? values[i] : packed.ofNull();
        }
      }
      for (int i = 0; i < count; i++) {
        out[i] |= values[i] << shift;
      }
    };
  }

  /** Reads rows of this segment from now on. */
  void begin(SegmentReader segment) {
    addresses.forEach((column, values) -> values.numbers = numbers.of(segment.sealed(), column));
  }

  /**
   * The keys of {@code count} rows from row {@code from}.
   *
   * @param count at most {@link Vector#CAPACITY}
   */
  void read(EncodedRows rows, int from, int count, long[] out) {
    for (Addresses one : addresses.values()) {
      one.read(rows, from, count);
    }
    for (Branches one : branches) {
      one.read(rows, from, count);
    }
    Arrays.fill(out, 0, count, 0);
    for (Part part : parts) {
      part.add(rows, from, count, out);
    }
  }
}
