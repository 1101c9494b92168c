package org.flowmon.archive.rollup;

import java.nio.ByteBuffer;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.sorted.BinarySearch;

/** Decodes blocks of a rollup's slices. Not thread-safe. */
public final class CellReader {
  private final long[] deltas = new long[RollupFormat.BLOCK];
  private byte[] block = new byte[1 << 10];

  // open sets them.
  @SuppressWarnings("NullAway.Init")
  private Rollup rollup;

  @SuppressWarnings("NullAway.Init")
  private ByteBuffer bytes;

  private int offset;
  private int length;
  private int cells;
  private int blocks;

  /** Begins a slice; the rollup must have been checked. */
  public void open(Rollup of, int slice) {
    rollup = of;
    bytes = of.file().buffer();
    offset = of.sliceOffset(slice);
    length = of.sliceLength(slice);
    cells = of.cells(slice);
    blocks = (cells + RollupFormat.BLOCK - 1) / RollupFormat.BLOCK;
  }

  public int blocks() {
    return blocks;
  }

  public int cells(int block) {
    return Math.min(RollupFormat.BLOCK, cells - block * RollupFormat.BLOCK);
  }

  public int firstId(int ofBlock) {
    return bytes.getInt(offset + 4 * ofBlock); // checked, as they must ascend
  }

  /** The last block whose first id is at most this, 0 if there is none. */
  public int blockOf(int id) {
    return BinarySearch.first(1, Math.max(1, blocks), block -> firstId(block) > id) - 1;
  }

  /** Reads the ids of a block's cells, ascending; {@link Rollup#nullId} is NULL. */
  public void readIds(int ofBlock, int[] ids) {
    int n = cells(ofBlock);
    read(0, ofBlock, deltas);
    long id = firstId(ofBlock);
    long bits = deltas[0];
    boolean ascends = bits == 0;
    ids[0] = (int) id;
    for (int i = 1; i < n; i++) {
      long delta = deltas[i];
      ascends &= delta != 0;
      bits |= delta;
      id += delta;
      ids[i] = (int) id;
    }
    long end = ofBlock + 1 < blocks ? firstId(ofBlock + 1) : rollup.nullId() + 1L;
    // Differences below 2^31 cannot carry the sum of a block past 2^63.
    if (!ascends || bits >>> 31 != 0 || id >= end) {
      throw corrupt("ids of block " + ofBlock + " do not ascend to below " + end);
    }
  }

  /** Reads a block of a stream; {@code out} is at least {@link RollupFormat#BLOCK} long. */
  public void read(int stream, int ofBlock, long[] out) {
    int entry = offset + 4 * (blocks + stream * blocks + ofBlock);
    int begin = bytes.getInt(entry);
    int end = bytes.getInt(entry + 4);
    int data = 4 * (blocks * (rollup.streams() + 1) + 1);
    int n = cells(ofBlock);
    if (begin < data || end > length || end - begin < n || end - begin > StreamVByte.maxBytes(n)) {
      throw corrupt("block " + ofBlock + " of stream " + stream + " at " + begin + "…" + end);
    }
    int size = end - begin;
    if (block.length < size + StreamVByte.READ_AHEAD) {
      block = new byte[2 * (size + StreamVByte.READ_AHEAD)];
    }
    bytes.get(offset + begin, block, 0, size);
    if (StreamVByte.decode(block, size, n, out) != size) {
      throw corrupt("block " + ofBlock + " of stream " + stream + " is not of " + size + " bytes");
    }
  }

  private SegmentCorruptException corrupt(String what) {
    return rollup.file().corrupt(rollup.place(), what);
  }
}
