package org.flowmon.archive.store;

/**
 * The cost of reading from a store that is not local.
 *
 * @param fetches files, or ranges of files, that were fetched
 * @param bytes their bytes
 * @param hits files that were on this host's disk already
 * @param damaged of these, files with a wrong identity, which were fetched again
 * @param evicted files that were removed from this host's disk to make room
 */
public record FetchCounts(long fetches, long bytes, long hits, long damaged, long evicted) {
  /** No fetches. */
  public static final FetchCounts NONE = new FetchCounts(0, 0, 0, 0, 0);

  /** The increase since an earlier count. */
  public FetchCounts since(FetchCounts earlier) {
    return new FetchCounts(
        fetches - earlier.fetches,
        bytes - earlier.bytes,
        hits - earlier.hits,
        damaged - earlier.damaged,
        evicted - earlier.evicted);
  }
}
