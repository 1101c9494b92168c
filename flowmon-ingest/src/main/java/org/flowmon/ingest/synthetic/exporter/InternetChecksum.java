package org.flowmon.ingest.synthetic.exporter;

/** The checksum of IPv4 headers (RFC 1071). */
final class InternetChecksum {
  private InternetChecksum() {}

  /** Of the sum of some 16-bit words and two addresses. */
  static int of(int words, int source, int destination) {
    int sum = words + (source >>> 16) + (source & 0xFFFF);
    sum += (destination >>> 16) + (destination & 0xFFFF);
    while (sum >>> 16 != 0) {
      sum = (sum & 0xFFFF) + (sum >>> 16);
    }
    return ~sum & 0xFFFF;
  }
}
