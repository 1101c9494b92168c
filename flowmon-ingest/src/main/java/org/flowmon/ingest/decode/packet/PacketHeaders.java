package org.flowmon.ingest.decode.packet;

import org.flowmon.flow.code.Tunnel;

/**
 * What the headers of a packet say. MACs, ethertype, VLANs and MPLS labels are those of its outer
 * frame; all that IP and transport say is of one {@linkplain TunnelHeaders chosen} header. Reused
 * from packet to packet.
 */
public final class PacketHeaders {
  public static final int NONE = -1;

  /** Further labels of a stack are left out. */
  public static final int MAX_LABELS = 8;

  public boolean hasMacs;

  /** In the low 48 bits. */
  public long srcMac;

  public long dstMac;

  /** Behind the VLAN tags; {@link #NONE} if it is cut off or the frame has a length instead. */
  public int etherType;

  /** The outer tag, 1 … 4095; {@link #NONE} without, or if the tag has a priority only. */
  public int vlan;

  /** The second tag. */
  public int innerVlan;

  public int labels;

  /** The top one first: label 20 bits, traffic class 3, bottom of stack 1, TTL 8. */
  public final int[] mpls = new int[MAX_LABELS];

  /** What the outermost IP packet carries. */
  public Tunnel tunnel = Tunnel.NONE;

  /** The network id of the outermost VXLAN or GENEVE. */
  public int vni;

  private final IpHeader outermost = new IpHeader();
  private final IpHeader[] within = {new IpHeader(), new IpHeader()};
  private IpHeader chosen = outermost;
  private int found;
  boolean ipCutOff;

  void clear() {
    hasMacs = false;
    srcMac = 0;
    dstMac = 0;
    etherType = NONE;
    vlan = NONE;
    innerVlan = NONE;
    labels = 0;
    tunnel = Tunnel.NONE;
    vni = NONE;
    outermost.clear();
    chosen = outermost;
    found = 0;
    ipCutOff = false;
  }

  /** Whether there is an IP header; without one {@link #ip} is empty. */
  public boolean hasIp() {
    return found > 0;
  }

  /** Whether the packet holds IP, of whose outermost header or extensions a part is missing. */
  public boolean isIpCutOff() {
    return ipCutOff || (hasIp() && outermost.protocol == IpHeader.NONE);
  }

  /** The header that describes the flow. */
  public IpHeader ip() {
    return chosen;
  }

  /** The outermost header, which may be {@link #ip}. */
  public IpHeader outer() {
    return outermost;
  }

  /** Whether {@link #outer} is another header than {@link #ip}. */
  public boolean hasOuter() {
    return chosen != outermost;
  }

  boolean isOutermost() {
    return found == 0;
  }

  /** An empty header for the next packet in a packet. */
  IpHeader next() {
    IpHeader next = found == 0 ? outermost : within[chosen == within[0] ? 1 : 0];
    next.clear();
    return next;
  }

  /** Takes the header of {@link #next}, which is now filled. */
  void take(IpHeader header, TunnelHeaders prefer) {
    found++;
    if (prefer == TunnelHeaders.INNER && header.complete) {
      chosen = header;
    }
  }
}
