package org.flowmon.ingest.decode.packet;

import static org.flowmon.flow.bytes.BigEndian.getInt;
import static org.flowmon.flow.bytes.BigEndian.getU16;
import static org.flowmon.flow.bytes.BigEndian.getU8;

import org.flowmon.flow.code.Tunnel;

/**
 * Reads the headers of a packet from the bytes that are there: a whole packet, or the section of
 * one that an exporter sends along. Ethernet with VLAN tags, MPLS, PPPoE, IPv4, IPv6, IP in IP,
 * GRE, VXLAN, GENEVE and segment routing; TCP, UDP, SCTP, ICMP and others with their ports. A
 * section that is cut off gives what it has. No bytes make it throw, it reads none but those given,
 * and it allocates nothing. Not thread-safe.
 */
public final class PacketParser {
  private static final int MAX_LAYERS = 16;
  private static final int MAX_TAGS = 8;
  private static final int MAX_STACK = 32;
  private static final int LEAST_ETHER_TYPE = 0x0600;

  private final TunnelHeaders prefer;
  private final IpParser ip = new IpParser();
  private byte[] bytes = {};
  private int at;
  private int end;
  private PacketHeaders headers = new PacketHeaders();
  private boolean frameSeen;
  private boolean stackSeen;

  public PacketParser(TunnelHeaders prefer) {
    this.prefer = prefer;
  }

  /** Of an Ethernet frame, from its destination address on. */
  public void parseFrame(byte[] section, int offset, int length, PacketHeaders into) {
    parse(Layer.FRAME, section, offset, length, into);
  }

  /** From an IP header on, which tells its version itself. */
  public void parseIp(byte[] section, int offset, int length, PacketHeaders into) {
    parse(Layer.IP, section, offset, length, into);
  }

  /** From the top of an MPLS stack on. */
  public void parseMpls(byte[] section, int offset, int length, PacketHeaders into) {
    parse(Layer.MPLS, section, offset, length, into);
  }

  /** From a PPP header on, with or without HDLC's address. */
  public void parsePpp(byte[] section, int offset, int length, PacketHeaders into) {
    parse(Layer.PPP, section, offset, length, into);
  }

  /** Behind the ethertype of a link layer that is not Ethernet. */
  public void parsePayload(
      int etherType, byte[] section, int offset, int length, PacketHeaders into) {
    begin(section, offset, length, into);
    frameSeen = true;
    parseLayers(behindType(etherType, true));
  }

  private void parse(Layer first, byte[] section, int offset, int length, PacketHeaders into) {
    begin(section, offset, length, into);
    parseLayers(first);
  }

  private void begin(byte[] section, int offset, int length, PacketHeaders into) {
    bytes = section;
    at = offset;
    end = offset + length;
    headers = into;
    frameSeen = false;
    stackSeen = false;
    into.clear();
  }

  private void parseLayers(Layer first) {
    Layer layer = first;
    for (int i = 0; i < MAX_LAYERS && layer != Layer.END; i++) {
      layer =
          switch (layer) {
            case FRAME -> frame();
            case MPLS -> mpls();
            case PPPOE -> pppoe();
            case PPP -> ppp();
            case IP -> ip();
            case END -> Layer.END;
          };
    }
  }

  private static boolean isTag(int etherType) {
    return etherType == 0x8100 || etherType == 0x88A8 || etherType == 0x9100 || etherType == 0x9200;
  }

  private int left() {
    return end - at;
  }

  private Layer frame() {
    boolean outer = !frameSeen && headers.isOutermost();
    frameSeen = true;
    if (outer && left() >= 12) {
      headers.hasMacs = true;
      headers.dstMac = mac(at);
      headers.srcMac = mac(at + 6);
    }
    if (left() < 14) {
      return Layer.END;
    }
    at += 14;
    return behindType(getU16(bytes, at - 2), outer);
  }

  private Layer behindType(int first, boolean outer) {
    int type = first;
    for (int tags = 0; tags < MAX_TAGS && isTag(type); tags++) {
      if (left() < 4) {
        return Layer.END;
      }
      if (outer) {
        takeTag(getU16(bytes, at) & 0xFFF, tags);
      }
      type = getU16(bytes, at + 2);
      at += 4;
    }
    if (type < LEAST_ETHER_TYPE) {
      type = behindLlc();
    }
    if (outer) {
      headers.etherType = type;
    }
    return Layer.of(type);
  }

  private long mac(int from) {
    return (long) getU16(bytes, from) << 32 | (getInt(bytes, from + 2) & 0xFFFF_FFFFL);
  }

  private void takeTag(int id, int tags) {
    if (tags == 0 && id != 0) {
      headers.vlan = id;
    } else if (tags == 1 && id != 0) {
      headers.innerVlan = id;
    }
  }

  /** The ethertype of a SNAP header in a frame that begins with its length (IEEE 802.2). */
  private int behindLlc() {
    boolean snap =
        left() >= 8 && getInt(bytes, at) == 0xAAAA0300 && getU16(bytes, at + 4) == 0x0000;
    if (!snap) {
      return PacketHeaders.NONE;
    }
    at += 8;
    return getU16(bytes, at - 2);
  }

  private Layer mpls() {
    boolean outer = !stackSeen && headers.isOutermost();
    stackSeen = true;
    boolean bottom = false;
    for (int i = 0; i < MAX_STACK && !bottom; i++) {
      if (left() < 4) {
        return Layer.END;
      }
      int entry = getInt(bytes, at);
      if (outer && headers.labels < PacketHeaders.MAX_LABELS) {
        headers.mpls[headers.labels++] = entry;
      }
      bottom = (entry & 0x100) != 0;
      at += 4;
    }
    if (!bottom || left() < 1) {
      return Layer.END;
    }
    return switch (getU8(bytes, at) >>> 4) {
      case 4, 6 -> Layer.IP;
      case 0 -> pseudowire();
      default -> Layer.END;
    };
  }

  /** A frame behind a control word (RFC 4448); others have none to tell them from IP. */
  private Layer pseudowire() {
    at += 4;
    if (left() < 14) {
      return Layer.END;
    }
    int type = getU16(bytes, at + 12);
    return isTag(type) || Layer.of(type) != Layer.END ? Layer.FRAME : Layer.END;
  }

  private Layer pppoe() {
    if (left() < 6 || getU16(bytes, at) != 0x1100) {
      return Layer.END; // version 1, type 1, session data (RFC 2516)
    }
    at += 6;
    end = Math.min(end, at + getU16(bytes, at - 2));
    return Layer.PPP;
  }

  private Layer ppp() {
    if (left() >= 2 && getU16(bytes, at) == 0xFF03) {
      at += 2;
    }
    if (left() < 2) {
      return Layer.END;
    }
    // The first byte of a protocol is even, unless the protocol is compressed to one.
    boolean compressed = (bytes[at] & 1) != 0;
    int protocol = compressed ? getU8(bytes, at) : getU16(bytes, at);
    at += compressed ? 1 : 2;
    return switch (protocol) {
      case 0x0021, 0x0057 -> Layer.IP;
      case 0x0281, 0x0283 -> Layer.MPLS;
      default -> Layer.END;
    };
  }

  private Layer ip() {
    IpHeader header = headers.next();
    boolean outermost = headers.isOutermost();
    if (!ip.parse(bytes, at, end, header)) {
      headers.ipCutOff = outermost && IpParser.isCutOff(bytes, at, end);
      return Layer.END;
    }
    headers.take(header, prefer);
    at = ip.payloadAt();
    end = ip.payloadEnd();
    if (ip.tunnel() != Tunnel.NONE && outermost) {
      headers.tunnel = ip.tunnel();
    }
    if (headers.vni == PacketHeaders.NONE) {
      headers.vni = ip.vni();
    }
    return ip.payload();
  }
}
