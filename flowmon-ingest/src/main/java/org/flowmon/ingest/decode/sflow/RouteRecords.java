package org.flowmon.ingest.decode.sflow;

import static org.flowmon.flow.bytes.BigEndian.getInt;
import static org.flowmon.flow.bytes.BigEndian.getLong;
import static org.flowmon.flow.bytes.BigEndian.getU32;

import org.flowmon.flow.IpAddress;

/**
 * What a sample's records say of the packet's way. An address is a type (1 IPv4, 2 IPv6, 0 none)
 * and 4, 16 or no bytes. Reused from sample to sample.
 *
 * <pre>
 * 1001 switch:   source VLAN 4 | its priority 4 | destination VLAN 4 | its priority 4
 * 1002 router:   next hop, an address | source mask 4 | destination mask 4
 * 1003 gateway:  next hop, an address | own AS 4 | source AS 4 | source peer AS 4
 *                | segments of the AS path 4, each: type 4 | ASes 4 | an AS of 4 bytes each
 *                | communities 4 | a community of 4 bytes each | local preference 4
 * 1006 MPLS:     next hop, an address | labels in 4 | each 4 | labels out 4 | each 4
 * 1007 NAT:      source, an address | destination, an address
 * 1020 NAT port: source port 4 | destination port 4
 * </pre>
 */
final class RouteRecords {
  static final int NONE = -1;
  static final int MAX_LABELS = 8;

  private static final int IPV4 = 1;
  private static final int IPV6 = 2;

  long srcVlan;
  long dstVlan;
  long srcMask;
  long dstMask;

  /** 0 if unknown. */
  long srcAs;

  long dstAs;
  final Address nextHop = new Address();
  final Address bgpNextHop = new Address();
  final Address natSource = new Address();
  final Address natDestination = new Address();
  long natSourcePort;
  long natDestinationPort;
  int labels;
  final int[] mpls = new int[MAX_LABELS];

  private final Address labelNextHop = new Address();
  private byte[] bytes = {};
  private int at;
  private int end;

  /** An address; a zero one counts as none. */
  static final class Address {
    long hi;
    long lo;

    boolean isKnown() {
      return (hi | lo) != 0 && (hi != 0 || lo != IpAddress.ipv4Low(0));
    }

    void clear() {
      hi = 0;
      lo = 0;
    }
  }

  void clear() {
    srcVlan = 0;
    dstVlan = 0;
    srcMask = NONE;
    dstMask = NONE;
    srcAs = 0;
    dstAs = 0;
    nextHop.clear();
    bgpNextHop.clear();
    natSource.clear();
    natDestination.clear();
    natSourcePort = NONE;
    natDestinationPort = NONE;
    labels = 0;
  }

  /** False if the record is too short for what it says. */
  boolean read(int format, byte[] section, int from, int length) {
    bytes = section;
    at = from;
    end = from + length;
    return switch (format) {
      case 1001 -> readSwitch();
      case 1002 -> readRouter();
      case 1003 -> readGateway();
      case 1006 -> readMpls();
      case 1007 -> readAddress(natSource) && readAddress(natDestination);
      case 1020 -> readNatPorts();
      default -> true;
    };
  }

  private int left() {
    return end - at;
  }

  private boolean readSwitch() {
    if (left() < 16) {
      return false;
    }
    srcVlan = getU32(bytes, at);
    dstVlan = getU32(bytes, at + 8);
    return true;
  }

  private boolean readRouter() {
    if (!readAddress(nextHop) || left() < 8) {
      return false;
    }
    srcMask = getU32(bytes, at);
    dstMask = getU32(bytes, at + 4);
    return true;
  }

  /** The destination's AS is the last one of the path; without a path it is the router's own. */
  private boolean readGateway() {
    if (!readAddress(bgpNextHop) || left() < 16) {
      return false;
    }
    long own = getU32(bytes, at);
    long source = getU32(bytes, at + 4);
    long segments = getU32(bytes, at + 12);
    at += 16;
    long last = own;
    for (long i = 0; i < segments; i++) {
      if (left() < 8) {
        return false;
      }
      long count = getU32(bytes, at + 4);
      at += 8;
      if (count > left() / 4) {
        return false;
      }
      at += 4 * (int) count;
      last = count > 0 ? getU32(bytes, at - 4) : last;
    }
    srcAs = source != 0 ? source : own;
    dstAs = last;
    return true;
  }

  private boolean readMpls() {
    if (!readAddress(labelNextHop) || left() < 4) {
      return false;
    }
    long count = getU32(bytes, at);
    at += 4;
    if (count > left() / 4) {
      return false;
    }
    labels = (int) Math.min(count, MAX_LABELS);
    for (int i = 0; i < labels; i++) {
      mpls[i] = getInt(bytes, at + 4 * i);
    }
    return true;
  }

  private boolean readNatPorts() {
    if (left() < 8) {
      return false;
    }
    natSourcePort = getU32(bytes, at) & 0xFFFF;
    natDestinationPort = getU32(bytes, at + 4) & 0xFFFF;
    return true;
  }

  private boolean readAddress(Address into) {
    if (left() < 4) {
      return false;
    }
    int type = getInt(bytes, at);
    int size = type == IPV4 ? 4 : type == IPV6 ? 16 : 0;
    at += 4;
    if (left() < size || (size == 0 && type != 0)) {
      return false;
    }
    if (size > 0) {
      into.hi = type == IPV6 ? getLong(bytes, at) : 0;
      into.lo = type == IPV6 ? getLong(bytes, at + 8) : IpAddress.ipv4Low(getInt(bytes, at));
    }
    at += size;
    return true;
  }
}
