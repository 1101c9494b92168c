package org.flowmon.ingest.decode.packet;

/** One IP header and the transport header behind it. Reused from packet to packet. */
public final class IpHeader {
  public static final int NONE = -1;

  /** 4 or 6; 0 if there is none. */
  public int version;

  public long srcHi;
  public long srcLo;
  public long dstHi;
  public long dstLo;

  /** Behind IPv6's extension headers; {@link #NONE} if these are cut off. */
  public int protocol;

  public int tos;

  /** Or hop limit; {@link #NONE} if unknown. */
  public int ttl;

  /** Of IPv6, else {@link #NONE}. */
  public int flowLabel;

  /** The bytes of the whole IP packet, as its header says; 0 if it does not. */
  public int length;

  /** {@link #NONE} in IPv6 without a fragment header. */
  public int fragmentId;

  /** In bytes. */
  public int fragmentOffset;

  /** Bits as of element 197: 0x40 do not fragment, 0x20 more fragments. */
  public int fragmentFlags;

  public int srcPort;
  public int dstPort;
  public int tcpFlags;

  /** Type × 256 + code. */
  public int icmpTypeCode;

  /** Segments of a segment routing header (RFC 8754) within the section, 16 bytes each. */
  public int segments;

  /** Where they begin in the section's array; the last segment of the way comes first. */
  public int segmentsAt;

  public int segmentsLeft;

  /** Where the transport header begins in the section's array, maybe beyond its end. */
  public int transportAt;

  /** Where the packet or the section ends, whichever is first. */
  public int end;

  // Its transport header is there as far as it tells ports or type, or it has none.
  boolean complete;

  /** Forgets the packet. */
  public void clear() {
    version = 0;
    srcHi = 0;
    srcLo = 0;
    dstHi = 0;
    dstLo = 0;
    protocol = NONE;
    tos = 0;
    ttl = NONE;
    flowLabel = NONE;
    length = 0;
    fragmentId = NONE;
    fragmentOffset = 0;
    fragmentFlags = 0;
    srcPort = NONE;
    dstPort = NONE;
    tcpFlags = NONE;
    icmpTypeCode = NONE;
    segments = 0;
    segmentsAt = 0;
    segmentsLeft = 0;
    transportAt = 0;
    end = 0;
    complete = false;
  }

  /** Whether it is a piece of a packet, the first included. */
  public boolean isFragment() {
    return fragmentOffset > 0 || (fragmentFlags & 0x20) != 0;
  }
}
