package org.flowmon.ingest.decode.record;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.code.Tunnel;

/**
 * Records with the addresses of two IP headers: a flow's columns come from the inner one, so that
 * ports and addresses are never of different headers, and the outer addresses get their own.
 */
final class InnerHeaders {
  private static final int IPV6_IN_IP = 41;
  private static final int IPV4_IN_IP = 4;
  private static final int IPV4 = 4;
  private static final int VXLAN = 1;

  private final long[] srcHigh = new long[RecordBlock.ROWS];
  private final long[] srcLow = new long[RecordBlock.ROWS];
  private final long[] dstHigh = new long[RecordBlock.ROWS];
  private final long[] dstLow = new long[RecordBlock.ROWS];
  private final long[] tunnel = new long[RecordBlock.ROWS];
  private final long[] word = new long[1];
  private long outer;
  private long hasTunnel;

  void begin() {
    outer = 0;
    hasTunnel = 0;
  }

  /** A row's outer header. */
  void add(int row, long srcHi, long srcLo, long dstHi, long dstLo) {
    srcHigh[row] = srcHi;
    srcLow[row] = srcLo;
    dstHigh[row] = dstHi;
    dstLow[row] = dstLo;
    outer |= 1L << row;
  }

  /** Leaves only the inner header's values in the slots. */
  void split(RecordBlock block) {
    if (block.program().isRare()) {
      for (int i = 0; i < block.rows(); i++) {
        if (isSet(block, Slot.INNER_SRC4, i) || isSet(block, Slot.INNER_SRC6, i)) {
          takeInner(block, i);
        }
      }
    }
    boolean four = block.set(Slot.SRC4) != 0 && block.set(Slot.DST4) != 0;
    boolean six = block.set(Slot.SRC6) != 0 && block.set(Slot.DST6) != 0;
    for (int i = 0; four && six && i < block.rows(); i++) {
      if (isFour(block, i) && isSix(block, i)) {
        splitFamilies(block, i);
      }
    }
  }

  static boolean isFour(RecordBlock block, int row) {
    return isSet(block, Slot.SRC4, row) || isSet(block, Slot.DST4, row);
  }

  static boolean isSix(RecordBlock block, int row) {
    return isSet(block, Slot.SRC6, row) || isSet(block, Slot.DST6, row);
  }

  /** An address that is not zero. */
  private static boolean isSet(RecordBlock block, Slot address, int row) {
    return block.isSet(address, row)
        && (address.isAddress6()
            ? (block.high(address)[row] | block.values(address)[row]) != 0
            : (int) block.values(address)[row] != 0);
  }

  private void takeInner(RecordBlock block, int row) {
    boolean six = isSix(block, row);
    takeOuter(block, row, six ? Slot.SRC6 : Slot.SRC4, six ? Slot.DST6 : Slot.DST4);
    move(block, row, Slot.INNER_SRC4, Slot.SRC4);
    move(block, row, Slot.INNER_DST4, Slot.DST4);
    moveHigh(block, row, Slot.INNER_SRC6, Slot.SRC6);
    moveHigh(block, row, Slot.INNER_DST6, Slot.DST6);
    move(block, row, Slot.INNER_SRC_PORT, Slot.SRC_PORT);
    move(block, row, Slot.INNER_DST_PORT, Slot.DST_PORT);
    move(block, row, Slot.INNER_PROTOCOL, Slot.PROTOCOL);
    if (block.isSet(Slot.LAYER2_SEGMENT, row)
        && block.values(Slot.LAYER2_SEGMENT)[row] >>> 56 == VXLAN) {
      setTunnel(row, Tunnel.VXLAN);
    }
  }

  private static void moveHigh(RecordBlock block, int row, Slot from, Slot to) {
    block.high(to)[row] = block.isSet(from, row) ? block.high(from)[row] : 0;
    move(block, row, from, to);
  }

  private static void move(RecordBlock block, int row, Slot from, Slot to) {
    if (block.isSet(from, row)) {
      block.set(to, row, block.values(from)[row]);
    } else {
      block.unset(to, row);
    }
  }

  /** The protocol, if it is that of a tunnel, is the outer header's. */
  private void splitFamilies(RecordBlock block, int row) {
    long protocol = block.isSet(Slot.PROTOCOL, row) ? block.values(Slot.PROTOCOL)[row] : 0;
    boolean isOuters = protocol == IPV6_IN_IP || protocol == IPV4_IN_IP;
    boolean fourIsInner =
        isOuters
            ? protocol == IPV4_IN_IP
            : block.isSet(Slot.IP_VERSION, row) && block.values(Slot.IP_VERSION)[row] == IPV4;
    if (fourIsInner) {
      takeOuter(block, row, Slot.SRC6, Slot.DST6);
      clear(block, row, Slot.SRC6);
      clear(block, row, Slot.DST6);
    } else {
      takeOuter(block, row, Slot.SRC4, Slot.DST4);
      clear(block, row, Slot.SRC4);
      clear(block, row, Slot.DST4);
    }
    if (isOuters) {
      block.unset(Slot.PROTOCOL, row);
    }
    setTunnel(row, Tunnel.IP_IN_IP);
  }

  private static void clear(RecordBlock block, int row, Slot address) {
    block.unset(address, row);
    if (address.isAddress6()) {
      block.high(address)[row] = 0;
    }
  }

  private void takeOuter(RecordBlock block, int row, Slot src, Slot dst) {
    if (block.isSet(src, row) && block.isSet(dst, row)) {
      srcHigh[row] = src.isAddress6() ? block.high(src)[row] : 0;
      srcLow[row] = block.values(src)[row];
      dstHigh[row] = dst.isAddress6() ? block.high(dst)[row] : 0;
      dstLow[row] = block.values(dst)[row];
      outer |= 1L << row;
    }
  }

  /** What the outermost packet carries, which may be the flow itself. */
  void setTunnel(int row, Tunnel kind) {
    tunnel[row] = kind.code();
    hasTunnel |= 1L << row;
  }

  /** Writes what {@link #split} took out and {@link #add} added. */
  void write(FlowBatchBuilder builder) {
    if (outer != 0) {
      word[0] = outer;
      builder.setAddressColumn(FlowColumn.OUTER_SRC_ADDR, srcHigh, srcLow, word);
      builder.setAddressColumn(FlowColumn.OUTER_DST_ADDR, dstHigh, dstLow, word);
    }
    if (hasTunnel != 0) {
      word[0] = hasTunnel;
      builder.setColumn(FlowColumn.TUNNEL, tunnel, word);
    }
  }
}
