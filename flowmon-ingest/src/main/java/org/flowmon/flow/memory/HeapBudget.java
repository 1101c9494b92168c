package org.flowmon.flow.memory;

/**
 * The heap of a process, divided among those who may need much of it: no other place derives a
 * limit from the size of the heap. Parts are upper limits and add up to more than the heap, because
 * no process needs all of them at once.
 *
 * @param bytes maximum size of the heap
 */
public record HeapBudget(long bytes) {
  /** The heap of this process. */
  public static final HeapBudget PROCESS = new HeapBudget(Runtime.getRuntime().maxMemory());

  /** A part of the heap: a share of it, with an upper limit in bytes. */
  public enum Part {
    /**
     * Flows that wait for Kafka in a collector. Decoders and Kafka's clients need the rest. A
     * minute of 50,000 flows a second takes 429 MB, at 143 bytes a flow as routers export them.
     */
    COLLECTOR_QUEUE(45, 100, 448L << 20),

    /** Decoded pages of segments, kept for the next query: they only save time. */
    DECODED_PAGES(1, 16, 64L << 20),

    /** New ids of dictionaries' entries while the day sums are merged, in the background. */
    DAY_MERGE(1, 32, 128L << 20),

    /** What a query keeps until it is answered. The answer is made from it in the other half. */
    QUERY(1, 2),

    /** All history lookups that run in a job at a time, which share what one query may take. */
    LOOKUPS(1, 2),

    /** Rows of one thread of a query that are not in groups yet. */
    UNGROUPED_ROWS(1, 24, 96L << 20),

    /** States of one thread of a query if every possible key has one. */
    DENSE_STATES(1, 32, 32L << 20),

    /** States by the second key's number while listed rows are grouped, of all threads. */
    LISTED_STATES(1, 8),

    /** Numbers of listed rows. */
    LISTED_NUMBERS(1, 16),

    /** Arrays that queries leave to the next one. They are given up if the heap runs short. */
    ARRAY_POOL(1, 8, 256L << 20),

    /** A file of an object store, whose stated length may exceed the heap. */
    STORED_OBJECT(1, 4),

    /**
     * The footer of a Parquet file of any writer: some thousand row groups of a hundred columns.
     * The smallest part of four bytes becomes an object of some hundred bytes.
     */
    FOREIGN_FOOTER(1, 32, 64L << 20),

    /**
     * Pages of a row group of any writer. A small file can claim more; the import needs the rest.
     */
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

    /** Its bytes of this process's heap. */
    public long bytes() {
      return PROCESS.of(this);
    }
  }

  /** The bytes of a part. */
  public long of(Part part) {
    return Math.min(part.maxBytes, bytes * part.share / part.of);
  }

  /** How many tasks of so many bytes fit into the heap, at least one. */
  public int tasksOf(long bytesEach) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes / bytesEach));
  }
}
