package org.flowmon.archive.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.derived.DerivedRun;
import org.flowmon.archive.derived.RunFrame;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;

/**
 * Writes a run address by address. Keeps one block and the block index on the heap: 24 bytes for
 * some 128 addresses.
 *
 * <pre>
 *   header | block … | block index | segments | tail
 *   block: n, width | addresses | directory | lists
 * </pre>
 */
final class HostRunWriter implements HostSink, AutoCloseable {
  private final SealedFile file;
  private final UUID archive;
  private final ByteSink index = new ByteSink();
  private final ByteSink block = new ByteSink();
  private final ByteSink lists = new ByteSink();
  private final long[] high = new long[HostRunFormat.MAX_BLOCK_ADDRESSES];
  private final long[] low = new long[HostRunFormat.MAX_BLOCK_ADDRESSES];
  private final int[] directory = new int[HostRunFormat.MAX_BLOCK_ADDRESSES];
  private int n;
  private int width;
  private int blocks;
  private long addresses;

  HostRunWriter(Path target, UUID archive) throws IOException {
    this.archive = archive;
    this.file = SealedFile.create(target);
    HostRunFormat.FRAME.writeHeader(block);
    flush(block);
  }

  @Override
  public void add(long hi, long lo, int[] places, int count) throws IOException {
    int bytes = IpAddress.isIpv4(hi, lo) ? 4 : 16;
    if (n > 0
        && (n == HostRunFormat.MAX_BLOCK_ADDRESSES
            || bytes != width
            || (long) n * (width + 4) + lists.size() + 5L * count > HostRunFormat.BLOCK_BYTES)) {
      endBlock();
    }
    width = bytes;
    high[n] = hi;
    low[n] = lo;
    directory[n++] = count == 1 ? HostRunFormat.SINGLE | places[0] : lists.size();
    addresses++;
    if (count > 1) {
      lists.putVarint(count);
      int before = -1;
      for (int i = 0; i < count; i++) {
        int number = places[i] >>> 2;
        lists.putVarint((number - before) << 2 | (places[i] & HostRunFormat.ROLES));
        before = number;
      }
    }
  }

  private void endBlock() throws IOException {
    block.putShort(n);
    block.write(width);
    block.write(0);
    for (int i = 0; i < n; i++) {
      if (width == 16) {
        block.putLongBigEndian(high[i]);
        block.putLongBigEndian(low[i]);
      } else {
        block.putIntBigEndian((int) low[i]);
      }
    }
    for (int i = 0; i < n; i++) {
      block.putInt(directory[i]);
    }
    block.write(lists.array(), 0, lists.size());
    index.putLongBigEndian(high[0]);
    index.putLongBigEndian(low[0]);
    index.putInt((int) file.position());
    index.putInt(Crc32c.of(block));
    blocks++;
    flush(block);
    lists.clear();
    n = 0;
  }

  private void flush(ByteSink bytes) throws IOException {
    file.write(bytes.array(), 0, bytes.size());
    bytes.clear();
  }

  /** Ends the run and gives it its name. */
  void finish(List<SealedSegment> segments) throws IOException {
    if (n > 0) {
      endBlock();
    }
    for (SealedSegment segment : segments) {
      RunFrame.writeCovered(
          index, new DerivedRun.Covered(segment.id(), segment.segmentFile().crc32c()));
    }
    int indexBytes = index.size();
    RunFrame.writeArchive(index, archive);
    index.putInt(blocks);
    index.putInt(segments.size());
    index.putLong(addresses);
    index.putInt(indexBytes);
    HostRunFormat.FRAME.seal(index, file);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
