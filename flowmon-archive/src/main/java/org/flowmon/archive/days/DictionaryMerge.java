package org.flowmon.archive.days;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.archive.sorted.AddressMerge;
import org.flowmon.archive.sorted.AddressStream;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;

/** Merges dictionaries; new ids take 4 bytes of heap an entry. For single use; not thread-safe. */
final class DictionaryMerge {
  private static final int FLUSH_BYTES = 1 << 16;

  /** One dictionary, read a part at a time. */
  private static final class Cursor implements AddressStream {
    private static final int PART = 1024;

    final AddressSource source;
    final BitSet used;
    final int[] newIds;
    private final long[] high = new long[PART];
    private final long[] low = new long[PART];
    private int at = -1;
    private int read = -1; // the loaded part

    Cursor(Source from) {
      this.source = from.addresses();
      this.used = from.used();
      this.newIds = new int[source.size() + 1];
    }

    @Override
    public boolean next() {
      at = used.nextSetBit(at + 1);
      if (at < 0) {
        return false;
      }
      if (at / PART != read) {
        read = at / PART;
        source.read(read * PART, Math.min(PART, source.size() - read * PART), high, low);
      }
      return true;
    }

    @Override
    public long high() {
      return high[at % PART];
    }

    @Override
    public long low() {
      return low[at % PART];
    }
  }

  /** A dictionary and its wanted ids. */
  record Source(AddressSource addresses, BitSet used) {}

  private final ByteSink bytes = new ByteSink();
  private final Crc32c crc = new Crc32c();
  private final int[] parts = new int[3];

  private DictionaryMerge() {}

  /** The written dictionary. */
  static final class Written {
    /** By input, then by its id, the new id of a wanted entry; the last is that of NULL. */
    final int[][] newIds;

    final int below;

    final int ipv4;

    final int above;

    final int crc32c;

    private Written(int[][] newIds, int[] parts, int crc32c) {
      this.newIds = newIds;
      this.below = parts[0];
      this.ipv4 = parts[1];
      this.above = parts[2];
      this.crc32c = crc32c;
    }

    int size() {
      return below + ipv4 + above;
    }
  }

  static Written write(List<Source> sources, SealedFile file) throws IOException {
    return new DictionaryMerge().run(sources, file);
  }

  private Written run(List<Source> sources, SealedFile file) throws IOException {
    List<Cursor> cursors = sources.stream().map(Cursor::new).toList();
    AddressMerge<Cursor> merge = new AddressMerge<>(cursors);
    int id = -1;
    long high = 0;
    long low = 0;
    for (; !merge.isEmpty(); merge.advance()) {
      Cursor first = merge.first();
      if (id < 0 || !merge.isAt(high, low)) {
        high = first.high();
        low = first.low();
        id++;
        put(high, low, file);
      }
      first.newIds[first.at] = id;
    }
    flush(file);
    int[][] newIds = cursors.stream().map(cursor -> cursor.newIds).toArray(int[][]::new);
    for (int[] ids : newIds) {
      ids[ids.length - 1] = id + 1;
    }
    return new Written(newIds, parts, crc.value());
  }

  private void put(long high, long low, SealedFile file) throws IOException {
    if (IpAddress.isIpv4(high, low)) {
      bytes.putIntBigEndian((int) low);
      parts[1]++;
    } else {
      bytes.putLongBigEndian(high);
      bytes.putLongBigEndian(low);
      parts[IpAddress.compare(high, low, 0, IpAddress.ipv4Low(0)) < 0 ? 0 : 2]++;
    }
    if (bytes.size() >= FLUSH_BYTES) {
      flush(file);
    }
  }

  private void flush(SealedFile file) throws IOException {
    crc.update(bytes.array(), 0, bytes.size());
    file.write(bytes.array(), 0, bytes.size());
    bytes.clear();
  }
}
