package org.flowmon.archive.store;

/**
 * The cost of reading from a store that is not local: {@code fetches} of files or ranges, their
 * {@code bytes}, and files: {@code hits} were on this host's disk already, of these {@code damaged}
 * had a wrong identity and were fetched again; {@code evicted} made room on the disk.
 */
public record FetchCounts(long fetches, long bytes, long hits, long damaged, long evicted) {
  public static final FetchCounts NONE = new FetchCounts(0, 0, 0, 0, 0);

  public FetchCounts plus(FetchCounts other) {
    return new FetchCounts(
        fetches + other.fetches,
        bytes + other.bytes,
        hits + other.hits,
        damaged + other.damaged,
        evicted + other.evicted);
  }

  public FetchCounts since(FetchCounts earlier) {
    return new FetchCounts(
        fetches - earlier.fetches,
        bytes - earlier.bytes,
        hits - earlier.hits,
        damaged - earlier.damaged,
        evicted - earlier.evicted);
  }
}
