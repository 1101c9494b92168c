package org.flowmon.ingest.decode.packet;

/** What comes next in a packet. */
enum Layer {
  /** Nothing that is read. */
  END,
  FRAME,
  MPLS,
  PPPOE,
  PPP,
  IP;

  /** What an ethertype announces. */
  static Layer of(int etherType) {
    return switch (etherType) {
      case 0x0800, 0x86DD -> IP;
      case 0x8847, 0x8848 -> MPLS;
      case 0x8864 -> PPPOE;
      case 0x6558 -> FRAME;
      default -> END;
    };
  }
}
