package org.flowmon.flow.memory;

/**
 * The maximum heap of a process in bytes, divided: no other place derives a limit from its size.
 * Parts are upper limits that add up to more, as no process needs all of them at once.
 */
public record HeapBudget(long bytes) {
  public static final HeapBudget PROCESS = new HeapBudget(Runtime.getRuntime().maxMemory());

  /** A part of the heap: a share of it, with an upper limit in bytes. */
  public enum Part {
    /**
     * Flows that wait for Kafka; decoders and Kafka's clients need the rest. A minute of 50,000
     * flows a second takes 429 MB, at 143 bytes a flow as routers export them.
     */
    COLLECTOR_QUEUE(45, 100, 448L << 20),

    /** Decoded pages of segments, kept for the next query: they only save time. */
    DECODED_PAGES(1, 16, 64L << 20),

    /** New ids of dictionaries' entries while the day sums are merged, in the background. */
    DAY_MERGE(1, 32, 128L << 20),

    /**
     * Flows of an import, in the segment that is filled and those that its threads seal. Sealing
     * takes as much again beside them.
     */
    IMPORTED_FLOWS(1, 4),

    /** A query until its answer, which is made in the other half. */
    QUERY(1, 2),

    /** All queries that a server runs at a time; their answers are made beside them. */
    SERVED_QUERIES(3, 8),

    /** Parts of answers that clients have not taken yet. */
    ANSWERS(1, 16),

    /** The row group of a Parquet file that is being filled. */
    ROW_GROUP(1, 32, 256L << 20),

    /** Reports of a job that a server keeps, as the messages that they came in. */
    SERVED_REPORTS(1, 8),

    /** All history lookups that run in a job at a time, which share what one query may take. */
    LOOKUPS(1, 2),

    /** Rows of one thread of a query that are not in groups yet. */
    UNGROUPED_ROWS(1, 24, 96L << 20),

    /** States of one thread of a query if every possible key has one. */
    DENSE_STATES(1, 32, 32L << 20),

    /** States by the second key's number while listed rows are grouped, of all threads. */
    LISTED_STATES(1, 8),

    LISTED_NUMBERS(1, 16),

    /** Arrays left to the next query; given up if the heap runs short. */
    ARRAY_POOL(1, 8, 256L << 20),

    /** A file of an object store, whose stated length may exceed the heap. */
    STORED_OBJECT(1, 4),

    /**
     * A foreign Parquet footer: some thousand row groups of a hundred columns. Its smallest part of
     * four bytes becomes an object of some hundred bytes.
     */
    FOREIGN_FOOTER(1, 32, 64L << 20),

    /** Pages of a foreign row group. A small file can claim more; the import needs the rest. */
    FOREIGN_PAGES(1, 2);

    private final int share;
    private final int of;
    private final long maxBytes;

    Part(int share, int of) {
      this(share, of, Long.MAX_VALUE);
    }

    Part(int share, int of, long maxBytes) {
      this.share = share;
      this.of = of;
      this.maxBytes = maxBytes;
    }

    public long bytes() {
      return PROCESS.of(this);
    }
  }

  public long of(Part part) {
    // A heap without a limit has Long.MAX_VALUE bytes: its product with the share overflows.
    long bytes = this.bytes / part.of * part.share + this.bytes % part.of * part.share / part.of;
    return Math.min(part.maxBytes, bytes);
  }

  /** How many tasks of so many bytes fit into the heap, at least one. */
  public int tasksOf(long bytesEach) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes / bytesEach));
  }
}
