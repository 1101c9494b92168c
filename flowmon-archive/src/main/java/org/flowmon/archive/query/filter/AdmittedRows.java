package org.flowmon.archive.query.filter;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.query.filter.DictionaryFilter.Admitted;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.vector.Vector;

/** The rows that a {@link DictionaryFilter} admits, before {@link #rest}. Used by one thread. */
public final class AdmittedRows {
  private final SegmentReader segment;
  private final DictionaryFilter filter;
  private final Optional<CompiledPredicate> rest;
  private final int[] ids;
  private final boolean[] member;
  private final boolean[] any;

  /** {@code of}, not empty, has the segment's decisions on this thread's {@code applied}. */
  public AdmittedRows(SegmentReader segment, DictionaryFilter of, Filter applied) {
    this.segment = segment;
    this.filter = of;
    this.rest = applied.without(of.decided());
    int tested = of.admitsAll() ? 0 : Vector.CAPACITY;
    this.ids = new int[tested];
    this.member = new boolean[of.alternatives().isEmpty() ? 0 : tested];
    this.any = new boolean[member.length];
  }

  /** Empty if all admitted rows pass the filter. */
  public Optional<CompiledPredicate> rest() {
    return rest;
  }

  /** Whether using it pays: it leaves rows out, or no condition remains. */
  public boolean narrows() {
    return !filter.admitsAll() || rest.isEmpty();
  }

  /**
   * Writes the admitted rows of {@code from … from + count − 1}, {@code count} ≤ {@link
   * Vector#CAPACITY}, into {@code rows}; returns their number.
   */
  public int select(int from, int count, int[] rows) {
    int n;
    if (filter.all().isEmpty()) {
      for (int i = 0; i < count; i++) {
        rows[i] = from + i;
      }
      n = count;
    } else {
      n = first(filter.all().get(0), from, count, rows);
    }
    for (int c = 1; c < filter.all().size() && n > 0; c++) {
      n = narrow(filter.all().get(c), rows, n);
    }
    for (int a = 0; a < filter.alternatives().size() && n > 0; a++) {
      n = narrowByAny(filter.alternatives().get(a), rows, n);
    }
    return n;
  }

  /** Keeps the admitted of n ≤ {@link Vector#CAPACITY} rows, in order; returns their number. */
  public int narrow(int[] rows, int n) {
    int left = n;
    for (int c = 0; c < filter.all().size() && left > 0; c++) {
      left = narrow(filter.all().get(c), rows, left);
    }
    for (int a = 0; a < filter.alternatives().size() && left > 0; a++) {
      left = narrowByAny(filter.alternatives().get(a), rows, left);
    }
    return left;
  }

  private int first(Admitted admitted, int from, int count, int[] rows) {
    segment.readIds(admitted.column, from, count, ids);
    long[] bits = admitted.bits;
    int n = 0;
    for (int i = 0; i < count; i++) {
      int id = ids[i];
      rows[n] = from + i;
      n += id >= 0 ? (int) (bits[id >>> 6] >>> id & 1) : 0;
    }
    return n;
  }

  private int narrow(Admitted admitted, int[] rows, int count) {
    segment.gatherIds(admitted.column, rows, count, ids);
    int n = 0;
    for (int i = 0; i < count; i++) {
      rows[n] = rows[i];
      n += admitted.admits(ids[i]) ? 1 : 0;
    }
    return n;
  }

  private int narrowByAny(List<List<Admitted>> members, int[] rows, int count) {
    Arrays.fill(any, 0, count, false);
    for (List<Admitted> columns : members) {
      Arrays.fill(member, 0, count, true);
      for (Admitted admitted : columns) {
        segment.gatherIds(admitted.column, rows, count, ids);
        for (int i = 0; i < count; i++) {
          member[i] &= admitted.admits(ids[i]);
        }
      }
      for (int i = 0; i < count; i++) {
        any[i] |= member[i];
      }
    }
    int n = 0;
    for (int i = 0; i < count; i++) {
      rows[n] = rows[i];
      n += any[i] ? 1 : 0;
    }
    return n;
  }
}
