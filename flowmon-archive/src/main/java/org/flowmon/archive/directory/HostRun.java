package org.flowmon.archive.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.derived.DerivedRun;
import org.flowmon.archive.derived.RunFrame;
import org.flowmon.archive.derived.RunTables;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.sorted.BinarySearch;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.set.AddressRanges;

/**
 * A run of the host directory in mapped memory: sorted addresses, each with the segments that hold
 * it. Counted by reference like its file. Immutable and safe to share between threads.
 */
final class HostRun extends DerivedRun {
  private final int blocks;
  private final int indexAt;
  private final long addresses;

  private HostRun(
      MappedRegion file, int blocks, int indexAt, long addresses, List<Covered> segments) {
    super(file, segments);
    this.blocks = blocks;
    this.indexAt = indexAt;
    this.addresses = addresses;
  }

  /** Opens a run like {@link DerivedRun#open}. */
  static HostRun open(Path path, UUID archive) throws IOException {
    return open(path, archive, HostRun::read);
  }

  private static HostRun read(MappedRegion file, UUID archive) {
    RunTables tables = new RunTables(file, HostRunFormat.FRAME);
    int blocks = tables.tailInt(16);
    int count = tables.tailInt(20);
    int indexBytes = tables.tailInt(32);
    tables.expect(
        blocks >= 0
            && count >= 0
            && (long) blocks * HostRunFormat.INDEX_BYTES
                    + (long) count * RunFrame.LEAST_COVERED_BYTES
                <= indexBytes,
        blocks + " blocks and " + count + " segments in " + indexBytes + " bytes");
    tables.begin(indexBytes, archive);
    int indexAt = tables.at();
    tables.skip((long) blocks * HostRunFormat.INDEX_BYTES);
    List<Covered> segments = new ArrayList<>(count);
    for (int s = 0; s < count; s++) {
      segments.add(tables.readCovered(s));
    }
    tables.end();
    HostRun run = new HostRun(file, blocks, indexAt, tables.tailLong(24), segments);
    run.checkIndex(tables);
    return run;
  }

  private void checkIndex(RunTables tables) {
    int before = RunFrame.HEADER_BYTES;
    for (int b = 0; b < blocks; b++) {
      int at = offset(b);
      tables.expect(
          (b == 0 ? at == before : at > before) && at + HostRunFormat.BLOCK_HEADER_BYTES < indexAt,
          "block " + b + " behind " + before + ", found " + at);
      tables.expect(
          b == 0
              || IpAddress.compare(firstHigh(b - 1), firstLow(b - 1), firstHigh(b), firstLow(b))
                  < 0,
          "blocks that ascend, found block " + b);
      before = at;
    }
    tables.expect(
        blocks > 0 || indexAt == RunFrame.HEADER_BYTES,
        "blocks in " + (indexAt - before) + " bytes");
  }

  long addresses() {
    return addresses;
  }

  /** The offset of a block; for the number of blocks, the end of the last one. */
  int offset(int block) {
    return block == blocks
        ? indexAt
        : file().buffer().getInt(indexAt + block * HostRunFormat.INDEX_BYTES + 16);
  }

  int crc32c(int block) {
    return file().buffer().getInt(indexAt + block * HostRunFormat.INDEX_BYTES + 20);
  }

  long firstHigh(int block) {
    return Long.reverseBytes(file().buffer().getLong(indexAt + block * HostRunFormat.INDEX_BYTES));
  }

  long firstLow(int block) {
    return Long.reverseBytes(
        file().buffer().getLong(indexAt + block * HostRunFormat.INDEX_BYTES + 8));
  }

  /** The last block that begins at or before an address, −1 if none does. */
  private int blockOf(IpAddress address) {
    long high = address.hi();
    long low = address.lo();
    return BinarySearch.first(
            0, blocks, block -> IpAddress.compare(firstHigh(block), firstLow(block), high, low) > 0)
        - 1;
  }

  /**
   * Marks the segments that hold an address of a range in wanted {@link HostRunFormat#ROLES}, at
   * their {@code positions}, −1 for none. The budget bounds the addresses whose places are read.
   * Returns the remaining budget, below 0 if it was too small: then not all are marked.
   */
  int mark(AddressRanges.Range range, int roles, int[] positions, BitSet marked, int budget) {
    IpAddress first = range.first();
    IpAddress last = range.last();
    HostBlock block = null;
    int left = budget;
    for (int b = Math.max(0, blockOf(first)); b < blocks; b++) {
      if (IpAddress.compare(firstHigh(b), firstLow(b), last.hi(), last.lo()) > 0) {
        return left;
      }
      if (block == null) {
        block = new HostBlock(this);
      }
      block.open(b);
      for (int i = block.lowerBound(first.hi(), first.lo()); i < block.size(); i++) {
        if (IpAddress.compare(block.high(i), block.low(i), last.hi(), last.lo()) > 0) {
          return left;
        }
        if (--left < 0) {
          return left;
        }
        mark(block, i, roles, positions, marked);
      }
    }
    return left;
  }

  private static void mark(
      HostBlock block, int address, int roles, int[] positions, BitSet marked) {
    int count = block.readPlaces(address);
    for (int k = 0; k < count; k++) {
      int place = block.place(k);
      if ((place & roles) != 0 && positions[place >>> 2] >= 0) {
        marked.set(positions[place >>> 2]);
      }
    }
  }

  /** All addresses, for a merge or to check every byte. */
  HostStream stream() {
    return new Cursor();
  }

  private final class Cursor implements HostStream {
    private final HostBlock block = new HostBlock(HostRun.this);
    private int next;
    private int at;
    private int size;
    private int count;
    private long high;
    private long low;
    private boolean any;

    @Override
    public boolean next() {
      if (++at >= size) {
        if (next == blocks) {
          return false;
        }
        block.open(next++);
        at = 0;
        size = block.size();
      }
      long hi = block.high(at);
      long lo = block.low(at);
      if (any && IpAddress.compare(high, low, hi, lo) >= 0) {
        throw file().corrupt("block " + (next - 1), "addresses that do not ascend");
      }
      any = true;
      high = hi;
      low = lo;
      count = block.readPlaces(at);
      return true;
    }

    @Override
    public long high() {
      return high;
    }

    @Override
    public long low() {
      return low;
    }

    @Override
    public int count() {
      return count;
    }

    @Override
    public int place(int i) {
      return block.place(i);
    }
  }
}
