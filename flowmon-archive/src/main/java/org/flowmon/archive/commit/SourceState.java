package org.flowmon.archive.commit;

/** A source's committed state: {@code retired} by a commit, {@code ended} by its last position. */
public record SourceState(OffsetRanges committed, boolean retired, boolean ended) {
  public static final SourceState NEW = new SourceState(OffsetRanges.NONE, false, false);

  public SourceState with(SourceRange range) {
    boolean last = range.endOffset() > committed.end();
    return new SourceState(committed.with(range), false, last ? range.ended() : ended);
  }

  public SourceState asRetired() {
    return new SourceState(committed, true, ended);
  }

  /**
   * The state over two archives: whether more may come is known by the one that reaches further.
   */
  public SourceState union(SourceState other) {
    SourceState last = other.committed.end() > committed.end() ? other : this;
    return new SourceState(committed.union(other.committed), last.retired, last.ended);
  }

  /** The largest arrival (µs), {@link Long#MIN_VALUE} if none is known. */
  public long maxArrival() {
    return committed.maxArrival();
  }

  /** Whether nothing is on its way from this source, as far as anybody knows. */
  public boolean isSilent() {
    return retired || ended;
  }

  /**
   * Whether everything that arrived up to a time (µs) was committed, but for gaps. More flows of
   * the last arrival's instant may come: only a later arrival tells.
   */
  public boolean reaches(long arrival) {
    return !committed.isEmpty() && (isSilent() || maxArrival() > arrival);
  }

  public long firstArrival() {
    return committed.isEmpty() ? Long.MAX_VALUE : committed.firstArrival(0);
  }

  /** Whether positions before the first committed one were skipped. */
  public boolean beginsLate() {
    return !committed.isEmpty() && committed.first(0) > 0;
  }
}
