package org.flowmon.archive.query;

import org.flowmon.archive.query.group.RowCollector;
import org.flowmon.archive.segment.reader.EncodedRows;
import org.flowmon.udaf.result.RowLookup;

/** Collects single rows: those of all pieces together, or of each one apart. Not thread-safe. */
final class LookupCollector implements RowCollector {
  private final RowLookup[] lookups;
  private RowLookup lookup;

  /** {@code lookups}: one for all pieces, or one for each of them. */
  LookupCollector(RowLookup... lookups) {
    this.lookups = lookups;
    this.lookup = lookups[0];
  }

  void begin(int piece) {
    lookup = lookups[lookups.length == 1 ? 0 : piece];
  }

  @Override
  public void expect(int rows) {
    lookup.expect(rows);
  }

  @Override
  public void add(EncodedRows rows, int from, int[] selection, int n) {
    lookup.add(rows, from, selection, n);
  }

  @Override
  public boolean isComplete() {
    return lookup.isComplete();
  }
}
