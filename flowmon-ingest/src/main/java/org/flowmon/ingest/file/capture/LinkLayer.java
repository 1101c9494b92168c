package org.flowmon.ingest.file.capture;

import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.decode.packet.PacketHeaders;
import org.flowmon.ingest.decode.packet.PacketParser;

/** The kinds of first headers of captured packets (tcpdump's LINKTYPE_ values). */
final class LinkLayer {
  private static final int NULL = 0;
  private static final int ETHERNET = 1;
  private static final int PPP = 9;
  private static final int RAW_BSD = 12;
  private static final int RAW_OPENBSD = 14;
  private static final int PPP_HDLC = 50;
  private static final int RAW = 101;
  private static final int LOOP = 108;
  private static final int LINUX_SLL = 113;
  private static final int MPLS = 219;
  private static final int IPV4 = 228;
  private static final int IPV6 = 229;
  private static final int LINUX_SLL2 = 276;

  private static final int FAMILY_BYTES = 4;
  private static final int SLL_BYTES = 16;
  private static final int SLL2_BYTES = 20;

  private LinkLayer() {}

  /** Parses a captured packet; one of another link layer has no headers. */
  static void parse(
      PacketParser parser, int linkType, byte[] bytes, int offset, int length, PacketHeaders into) {
    switch (linkType) {
      case ETHERNET -> parser.parseFrame(bytes, offset, length, into);
      case RAW_BSD, RAW_OPENBSD, RAW, IPV4, IPV6 -> parser.parseIp(bytes, offset, length, into);
      case PPP, PPP_HDLC -> parser.parsePpp(bytes, offset, length, into);
      case MPLS -> parser.parseMpls(bytes, offset, length, into);
      case NULL, LOOP -> behind(FAMILY_BYTES, parser, bytes, offset, length, into);
      case LINUX_SLL -> cooked(SLL_BYTES, SLL_BYTES - 2, parser, bytes, offset, length, into);
      case LINUX_SLL2 -> cooked(SLL2_BYTES, 0, parser, bytes, offset, length, into);
      default -> parser.parseIp(bytes, offset, 0, into);
    }
  }

  private static void behind(
      int skipped, PacketParser parser, byte[] bytes, int offset, int length, PacketHeaders into) {
    parser.parseIp(bytes, offset + skipped, Math.max(0, length - skipped), into);
  }

  private static void cooked(
      int header,
      int typeAt,
      PacketParser parser,
      byte[] bytes,
      int offset,
      int length,
      PacketHeaders into) {
    if (length < header) {
      parser.parseIp(bytes, offset, 0, into);
      return;
    }
    int type = BigEndian.getU16(bytes, offset + typeAt);
    parser.parsePayload(type, bytes, offset + header, length - header, into);
  }
}
