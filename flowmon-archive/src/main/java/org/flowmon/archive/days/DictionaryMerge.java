package org.flowmon.archive.days;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32C;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.ByteSink;

/**
 * Merges several dictionaries into one, and gives each entry's new id: 4 bytes of heap for each.
 * For single use; not thread-safe.
 */
final class DictionaryMerge {
  private static final int FLUSH_BYTES = 1 << 16;

  /** One dictionary, read a part at a time. */
  private static final class Cursor {
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

    boolean next() {
      at = used == null ? at + 1 : used.nextSetBit(at + 1);
      if (at < 0 || at >= source.size()) {
        return false;
      }
      if (at / PART != read) {
        read = at / PART;
        source.read(read * PART, Math.min(PART, source.size() - read * PART), high, low);
      }
      return true;
    }

    long high() {
      return high[at % PART];
    }

    long low() {
      return low[at % PART];
    }

    int compareTo(Cursor other) {
      return IpAddress.compare(high(), low(), other.high(), other.low());
    }
  }

  /**
   * A dictionary to be merged.
   *
   * @param used the wanted ids, null for all
   */
  record Source(AddressSource addresses, BitSet used) {}

  private final Cursor[] heap;
  private int heapSize;
  private final ByteSink bytes = new ByteSink();
  private final CRC32C crc = new CRC32C();
  private final int[] parts = new int[3];

  private DictionaryMerge(int inputs) {
    this.heap = new Cursor[inputs];
  }

  /** The written dictionary. */
  static final class Written {
    /** By input, then by its id, the new id of a wanted entry; the last is that of NULL. */
    final int[][] newIds;

    /** Entries below IPv4. */
    final int below;

    /** Entries of IPv4. */
    final int ipv4;

    /** Entries above IPv4. */
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
    return new DictionaryMerge(sources.size()).run(sources, file);
  }

  private Written run(List<Source> sources, SealedFile file) throws IOException {
    int[][] newIds = new int[sources.size()][];
    for (int i = 0; i < newIds.length; i++) {
      Cursor cursor = new Cursor(sources.get(i));
      newIds[i] = cursor.newIds;
      if (cursor.next()) {
        heap[heapSize++] = cursor;
      }
    }
    for (int i = heapSize / 2 - 1; i >= 0; i--) {
      sink(i);
    }
    int id = -1;
    long high = 0;
    long low = 0;
    while (heapSize > 0) {
      Cursor first = heap[0];
      if (id < 0 || first.high() != high || first.low() != low) {
        high = first.high();
        low = first.low();
        id++;
        put(high, low, file);
      }
      first.newIds[first.at] = id;
      if (!first.next()) {
        heap[0] = heap[--heapSize];
      }
      sink(0);
    }
    flush(file);
    for (int[] ids : newIds) {
      ids[ids.length - 1] = id + 1;
    }
    return new Written(newIds, parts, (int) crc.getValue());
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

  private void sink(int start) {
    if (start >= heapSize) {
      return;
    }
    Cursor moved = heap[start];
    int at = start;
    while (2 * at + 1 < heapSize) {
      int child = 2 * at + 1;
      if (child + 1 < heapSize && heap[child + 1].compareTo(heap[child]) < 0) {
        child++;
      }
      if (moved.compareTo(heap[child]) <= 0) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = moved;
  }
}
