package org.flowmon.archive.query.group.partition;

import java.util.Arrays;
import java.util.Objects;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Keys and arguments of one thread's rows, in linked blocks of each partition. Not thread-safe.
 *
 * <pre>
 *   chunk:  block block block …          block:  row row row … (256, all of one partition)
 *   row:    key and NULL bits | argument | argument | …     (an address takes two longs)
 * </pre>
 */
public final class PartitionedRows {
  public static final int BLOCK_ROWS = 256;

  private static final int BLOCKS_OF_FEW_ROWS = 64;
  private static final int NONE = -1;
  // A place is the number of a chunk and the index of a long in it.
  private static final int CHUNK_SHIFT = 20;
  private static final int PLACE_BITS = 32;
  private static final int IN_CHUNK = (1 << CHUNK_SHIFT) - 1;

  private final int keyBits;
  private final int stride;
  private final boolean isPooled;
  private final int blocksPerChunk;
  private final int[] wordOf; // by argument: its place in a row
  private long[][] chunks = {};
  private int[] blockBefore = {};
  private int usedBlocks;
  private final int[] lastBlock; // by partition
  // By partition: free rows of its last block << 32 | place of the next row.
  private final long[] next;
  private final int[] places = new int[Vector.CAPACITY];

  /** {@code keyBits} ≥ 1; {@code many}: a million rows rather than some thousands. */
  public PartitionedRows(int partitions, int keyBits, ValueKind[] kinds, boolean many) {
    if (keyBits < 1 || !fits(keyBits, kinds.length)) {
      throw new IllegalArgumentException(
          "keys of " + keyBits + " bits and " + kinds.length + " arguments do not fit a row");
    }
    this.keyBits = keyBits;
    this.wordOf = new int[kinds.length];
    int words = 1;
    for (int a = 0; a < kinds.length; a++) {
      wordOf[a] = words;
      words += words(kinds[a]);
    }
    this.stride = words;
    int most = LongArrayPool.LENGTH / (BLOCK_ROWS * stride);
    // Large arrays are not moved by the garbage collector.
    this.isPooled = many;
    this.blocksPerChunk = many ? most : Math.min(most, BLOCKS_OF_FEW_ROWS);
    this.lastBlock = new int[partitions];
    this.next = new long[partitions];
    Arrays.fill(lastBlock, NONE);
  }

  /** Whether rows fit: a NULL bit for each argument beside the key, a chunk's places. */
  public static boolean fits(int keyBits, int arguments) {
    return keyBits + arguments <= Long.SIZE
        && (1 + 2 * arguments) * BLOCK_ROWS * BLOCKS_OF_FEW_ROWS <= LongArrayPool.LENGTH;
  }

  private static int words(@Nullable ValueKind kind) {
    return kind == ValueKind.ADDRESS ? 2 : 1;
  }

  public static int stride(GroupLayout layout) {
    return 1
        + layout.arguments().stream()
            .map(argument -> Objects.requireNonNull(argument.kind(), "an argument is typed"))
            .mapToInt(PartitionedRows::words)
            .sum();
  }

  public static long blockBytes(int stride) {
    return 8L * stride * BLOCK_ROWS;
  }

  int partitions() {
    return next.length;
  }

  /** Longs of a row: its key with NULL bits, then its arguments. */
  public int stride() {
    return stride;
  }

  /** The bits of a row's first long that belong to its key. */
  public long keyMask() {
    return -1L >>> (Long.SIZE - keyBits);
  }

  long heapBytes() {
    return blockBytes(stride) * usedBlocks;
  }

  /** {@code map} is null if there is only one partition. */
  public void add(
      @Nullable PartitionMap map, long[] keys, Vector[] arguments, int[] selection, int n) {
    for (int r = 0; r < n; r++) {
      places[r] = map == null ? 0 : map.partition(keys[selection[r]]);
    }
    for (int r = 0; r < n; r++) {
      int partition = places[r];
      long row = next[partition];
      if (row >>> PLACE_BITS == 0) {
        row = open(partition);
      }
      next[partition] = row + stride - (1L << PLACE_BITS);
      int place = (int) row;
      places[r] = place;
      chunks[place >>> CHUNK_SHIFT][place & IN_CHUNK] = keys[selection[r]];
    }
    for (int a = 0; a < arguments.length; a++) {
      Vector vector = arguments[a];
      if (vector.high() != null) {
        write(vector.high(), wordOf[a] + 1, selection, n);
      }
      write(vector.values(), wordOf[a], selection, n);
      if (!vector.allValid()) {
        markNulls(vector, 1L << (keyBits + a), selection, n);
      }
    }
  }

  private void write(long[] values, int word, int[] selection, int n) {
    long[][] all = chunks;
    for (int r = 0; r < n; r++) {
      all[places[r] >>> CHUNK_SHIFT][(places[r] & IN_CHUNK) + word] = values[selection[r]];
    }
  }

  private void markNulls(Vector vector, long bit, int[] selection, int n) {
    for (int r = 0; r < n; r++) {
      if (!vector.isValid(selection[r])) {
        chunks[places[r] >>> CHUNK_SHIFT][places[r] & IN_CHUNK] |= bit;
      }
    }
  }

  private long open(int partition) {
    int block = usedBlocks++;
    int chunk = block / blocksPerChunk;
    if (chunk == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunk + 1);
      chunks[chunk] =
          isPooled ? LongArrayPool.take() : new long[stride * BLOCK_ROWS * blocksPerChunk];
      blockBefore = Arrays.copyOf(blockBefore, (chunk + 1) * blocksPerChunk);
    }
    blockBefore[block] = lastBlock[partition];
    lastBlock[partition] = block;
    return (long) BLOCK_ROWS << PLACE_BITS | chunk << CHUNK_SHIFT | placeInChunk(block);
  }

  private int room(int partition) {
    return (int) (next[partition] >>> PLACE_BITS);
  }

  private int placeInChunk(int block) {
    return (block % blocksPerChunk) * BLOCK_ROWS * stride;
  }

  void clear() {
    usedBlocks = 0;
    Arrays.fill(lastBlock, NONE);
    Arrays.fill(next, 0);
  }

  public long rows(int partition) {
    long rows = 0;
    for (int block = lastBlock[partition]; block >= 0; block = blockBefore[block]) {
      rows += BLOCK_ROWS;
    }
    return rows - room(partition);
  }

  /** −1 if the partition has no rows. */
  public int lastBlock(int partition) {
    return lastBlock[partition];
  }

  /** Number of rows in {@link #lastBlock}; all other blocks are full. */
  public int rowsOfLast(int partition) {
    return BLOCK_ROWS - room(partition);
  }

  /** The previous block of the same partition; −1 if none. */
  public int before(int block) {
    return blockBefore[block];
  }

  public void read(int block, int n, long[] keys, Vector[] arguments) {
    long[] chunk = chunks[block / blocksPerChunk];
    int at = placeInChunk(block);
    long mask = keyMask();
    long nulls = 0;
    for (int i = 0; i < n; i++) {
      long key = chunk[at + i * stride];
      nulls |= key;
      keys[i] = key & mask;
    }
    nulls &= ~mask;
    for (int a = 0; a < arguments.length; a++) {
      Vector vector = arguments[a];
      if (vector.high() != null) {
        read(chunk, at + wordOf[a] + 1, n, vector.high());
      }
      read(chunk, at + wordOf[a], n, vector.values());
      vector.setAllValid(n);
      if (nulls != 0) {
        readNulls(chunk, at, n, keyBits + a, vector);
      }
    }
  }

  /** No row can be read any more. */
  public void release() {
    LongArrayPool.give(Arrays.asList(chunks));
    chunks = new long[0][];
    clear();
  }

  private void read(long[] chunk, int first, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      out[i] = chunk[first + i * stride];
    }
  }

  private void readNulls(long[] chunk, int first, int n, int bit, Vector vector) {
    for (int i = 0; i < n; i++) {
      vector.validity()[i >>> 6] &= ~(((chunk[first + i * stride] >>> bit) & 1) << i);
    }
    vector.settleValidity(n);
  }

  /** Copies the first n rows of a block unchanged. */
  public void copy(int block, int n, long[] out, int at) {
    int first = placeInChunk(block);
    System.arraycopy(chunks[block / blocksPerChunk], first, out, at, n * stride);
  }

  /**
   * Reads the arguments of rows, by index, of those copied to {@code words} one after the other.
   */
  public void gather(long[] words, int[] rows, int n, Vector[] arguments, boolean hasNulls) {
    for (int a = 0; a < arguments.length; a++) {
      Vector vector = arguments[a];
      if (vector.high() != null) {
        gather(words, wordOf[a] + 1, rows, n, vector.high());
      }
      gather(words, wordOf[a], rows, n, vector.values());
      vector.setAllValid(n);
      if (hasNulls) {
        for (int i = 0; i < n; i++) {
          long isNull = words[rows[i] * stride] >>> (keyBits + a) & 1;
          vector.validity()[i >>> 6] &= ~(isNull << i);
        }
        vector.settleValidity(n);
      }
    }
  }

  private void gather(long[] words, int word, int[] rows, int n, long[] out) {
    for (int i = 0; i < n; i++) {
      out[i] = words[rows[i] * stride + word];
    }
  }
}
