package org.flowmon.archive.days;

import java.nio.ByteBuffer;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.sorted.AddressList;
import org.flowmon.flow.IpAddress;

/**
 * The addresses of a run's cells by one column, in mapped memory: those below IPv4, IPv4, those
 * above it. Immutable and safe to share between threads; valid as long as the run.
 */
public final class DayDictionary implements AddressList, AddressSource {
  private final MappedRegion file;
  private final String place;
  private final int at;
  private final int below;
  private final int ipv4;
  private final int size;
  private final int crc32c;
  private volatile boolean verified;

  /** A dictionary that lies within the file and has at most 2^31 − 2 entries. */
  DayDictionary(
      MappedRegion file, String place, int at, int below, int ipv4, int above, int crc32c) {
    this.file = file;
    this.place = place;
    this.at = at;
    this.below = below;
    this.ipv4 = below + ipv4;
    this.size = below + ipv4 + above;
    this.crc32c = crc32c;
  }

  static long bytes(int below, int ipv4, int above) {
    return 16L * below + 4L * ipv4 + 16L * above;
  }

  int end() {
    return at + (int) bytes(below, ipv4 - below, size - ipv4);
  }

  /** Checks the checksum once. Two threads may both check it: no harm. */
  void verify() {
    if (!verified) {
      file.verify(place, at, (int) bytes(below, ipv4 - below, size - ipv4), crc32c);
      verified = true;
    }
  }

  @Override
  public int size() {
    return size;
  }

  private int offset(int id) {
    if (id < below) {
      return at + 16 * id;
    }
    int to4 = at + 16 * below + 4 * (Math.min(id, ipv4) - below);
    return id < ipv4 ? to4 : to4 + 16 * (id - ipv4);
  }

  @Override
  public long high(int id) {
    return isIpv4(id) ? 0 : Long.reverseBytes(file.buffer().getLong(offset(id)));
  }

  @Override
  public long low(int id) {
    ByteBuffer bytes = file.buffer();
    int offset = offset(id);
    return isIpv4(id)
        ? IpAddress.ipv4Low(Integer.reverseBytes(bytes.getInt(offset)))
        : Long.reverseBytes(bytes.getLong(offset + 8));
  }

  private boolean isIpv4(int id) {
    return id >= below && id < ipv4;
  }

  @Override
  public void read(int from, int n, long[] high, long[] low) {
    for (int i = 0; i < n; i++) {
      high[i] = high(from + i);
      low[i] = low(from + i);
    }
  }
}
