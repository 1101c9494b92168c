package org.flowmon.archive.query.filter;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.set.AddressRanges;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * A filter on the dictionary ids of a segment. Admitted ids are found once per segment; then a row
 * costs a bit test instead of a comparison of addresses, in {@link AdmittedRows}. Immutable, shared
 * by all readers of the segment's pieces.
 */
public final class DictionaryFilter {
  public static final DictionaryFilter NONE = new DictionaryFilter();

  // Values between two calls of the check.
  private static final int CHECKED = 1 << 14;

  /** Admitted ids of one column, as bits. */
  static final class Admitted {
    final FlowColumn column;
    final long[] bits;

    Admitted(FlowColumn column, long[] bits) {
      this.column = column;
      this.bits = bits;
    }

    boolean admits(int id) {
      return id >= 0 && (bits[id >>> 6] >>> id & 1) != 0;
    }
  }

  private final List<Admitted> all;
  private final List<List<List<Admitted>>> alternatives;
  private final boolean empty;
  private final Set<FlowColumn> decided;
  private final long valuesDecided;

  private DictionaryFilter() {
    this.all = List.of();
    this.alternatives = List.of();
    this.empty = false;
    this.decided = Set.of();
    this.valuesDecided = 0;
  }

  private DictionaryFilter(Making made) {
    this.all = List.copyOf(made.all);
    this.alternatives = List.copyOf(made.alternatives);
    this.empty = made.empty;
    this.decided = Set.copyOf(made.decided);
    this.valuesDecided = made.valuesDecided;
  }

  /**
   * Decides as much of a filter as the dictionaries can.
   *
   * @param segment is not kept
   * @param filter its terms on one column are decided here once for each value
   * @param timesDecided whether all rows to be read pass the terms on {@code end_time}
   * @param within columns whose values meet the constraints in all rows to be read
   * @param scanned rows to be read: a larger dictionary decides nothing
   * @param check runs now and then, and may throw to end the work
   */
  public static DictionaryFilter of(
      SegmentReader segment,
      Filter filter,
      boolean timesDecided,
      Set<FlowColumn> within,
      long scanned,
      Runnable check) {
    Making making = new Making(segment, within, check);
    making.decide(filter, timesDecided, scanned);
    return new DictionaryFilter(making);
  }

  /** Each of these must admit a row. */
  List<Admitted> all() {
    return all;
  }

  /** In each list one member must admit the row; a member does if all its columns do. */
  List<List<List<Admitted>>> alternatives() {
    return alternatives;
  }

  /** The columns whose terms all admitted rows pass. */
  Set<FlowColumn> decided() {
    return decided;
  }

  public long valuesDecided() {
    return valuesDecided;
  }

  public boolean isEmpty() {
    return empty;
  }

  boolean admitsAll() {
    return !empty && all.isEmpty() && alternatives.isEmpty();
  }

  /** Finds the admitted values. */
  private static final class Making {
    private final SegmentReader segment;
    private final Set<FlowColumn> within;
    private final List<Admitted> all = new ArrayList<>();
    private final List<List<List<Admitted>>> alternatives = new ArrayList<>();
    private final Set<FlowColumn> decided = new TreeSet<>();
    private final int[] passing = new int[Vector.CAPACITY];
    private final Runnable check;
    private boolean empty;
    private long valuesDecided;

    Making(SegmentReader segment, Set<FlowColumn> within, Runnable check) {
      this.check = check;
      this.segment = segment;
      this.within = within;
    }

    void decide(Filter filter, boolean timesDecided, long scanned) {
      Constraints constraints = filter.constraints();
      if (timesDecided) {
        decided.add(FlowColumn.END_TIME);
      }
      Optional<List<Admitted>> columns = columns(constraints, Optional.of(filter), scanned);
      columns.ifPresent(all::addAll);
      empty = columns.isEmpty();
      if (!empty) {
        constraints.alternatives().forEach(this::addAlternatives);
      }
    }

    private void addAlternatives(List<Constraints> members) {
      List<List<Admitted>> possible = new ArrayList<>();
      boolean everything = false;
      for (Constraints constraints : members) {
        Optional<List<Admitted>> columns =
            constraints.isImpossible()
                ? Optional.empty()
                : columns(constraints, Optional.empty(), 0);
        columns.ifPresent(possible::add);
        everything |= columns.isPresent() && columns.get().isEmpty();
      }
      empty |= possible.isEmpty();
      if (!everything) {
        alternatives.add(possible);
      }
    }

    /** The columns that leave rows out; empty if no row is admitted. */
    private Optional<List<Admitted>> columns(
        Constraints constraints, Optional<Filter> filter, long scanned) {
      List<Admitted> columns = new ArrayList<>();
      for (FlowColumn column : FlowColumn.all()) {
        AddressRanges addresses = constraints.addresses(column);
        LongRanges longs = constraints.longs(column);
        if (addresses == null && longs == null) {
          continue;
        }
        if (isOutside(column, longs)) {
          return Optional.empty();
        }
        if (!segment.hasDictionary(column)) {
          continue;
        }
        int size = segment.dictionarySize(column);
        long[] bits = new long[(size + 63) >>> 6];
        int admitted =
            addresses != null
                ? admit(column, addresses, size, bits)
                : admit(column, Objects.requireNonNull(longs), size, bits);
        int constrained = admitted;
        if (filter.isPresent() && admitted <= scanned) {
          // NULL passes none of the constraints, so it fails at least one term.
          admitted = decide(column, filter.get().on(column), bits, admitted);
          decided.add(column);
        }
        if (admitted == 0) {
          return Optional.empty();
        }
        boolean known = filter.isPresent() && within.contains(column) && admitted == constrained;
        if (!known && (admitted < size || segment.nullCount(column) > 0)) {
          columns.add(new Admitted(column, bits));
        }
      }
      return Optional.of(columns);
    }

    private void checkAt(int id) {
      if (id % CHECKED == 0) {
        check.run();
      }
    }

    private int decide(FlowColumn column, CompiledPredicate predicate, long[] bits, int admitted) {
      int[] candidates = new int[admitted];
      int n = 0;
      for (int w = 0; w < bits.length; w++) {
        for (long word = bits[w]; word != 0; word &= word - 1) {
          candidates[n++] = (w << 6) + Long.numberOfTrailingZeros(word);
        }
      }
      Arrays.fill(bits, 0);
      DictionaryRows values = new DictionaryRows(segment, column, candidates, n);
      valuesDecided += n;
      int passed = 0;
      for (int from = 0; from < n; from += Vector.CAPACITY) {
        check.run();
        int kept = predicate.select(values, from, Math.min(Vector.CAPACITY, n - from), passing);
        for (int i = 0; i < kept; i++) {
          int id = candidates[from + passing[i]];
          bits[id >>> 6] |= 1L << id;
        }
        passed += kept;
      }
      return passed;
    }

    /** Whether no value of a column can satisfy a constraint on it: NULL satisfies none. */
    private boolean isOutside(FlowColumn column, @Nullable LongRanges longs) {
      return segment.nullCount(column) == segment.rows()
          || (longs != null
              && column.type() != ColumnType.ADDRESS
              && !longs.intersects(segment.minLong(column), segment.maxLong(column)));
    }

    private int admit(FlowColumn column, AddressRanges addresses, int size, long[] bits) {
      int admitted = 0;
      for (AddressRanges.Range range : addresses.ranges()) {
        int id = lowerBound(column, size, range.first().hi(), range.first().lo());
        while (id < size && compare(column, id, range.last().hi(), range.last().lo()) <= 0) {
          checkAt(id);
          bits[id >>> 6] |= 1L << id;
          admitted++;
          id++;
        }
      }
      return admitted;
    }

    private int admit(FlowColumn column, LongRanges longs, int size, long[] bits) {
      int admitted = 0;
      for (int id = 0, range = 0; id < size && range < longs.count(); ) {
        checkAt(id);
        long value = segment.dictionaryLong(column, id);
        if (value > longs.last(range)) {
          range++;
          continue;
        }
        if (value >= longs.first(range)) {
          bits[id >>> 6] |= 1L << id;
          admitted++;
        }
        id++;
      }
      return admitted;
    }

    private int lowerBound(FlowColumn column, int size, long hi, long lo) {
      int low = 0;
      int high = size;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (compare(column, middle, hi, lo) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    private int compare(FlowColumn column, int id, long hi, long lo) {
      return IpAddress.compare(
          segment.dictionaryHigh(column, id), segment.dictionaryLow(column, id), hi, lo);
    }
  }
}
