package org.flowmon.udaf.countmin;

import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;

/**
 * The bytes of pairs, form 16; {@code docs/format/states.md} is the specification, this class owns
 * the layout.
 *
 * <pre>
 *   +------+-----------+--------------+---------+-------+-------------------+
 *   | 16   | key bytes | weight bytes | refused | pairs | (key, weight) …   |
 *   | u8   | u8        | u8           | varint  | varint|                   |
 *   +------+-----------+--------------+---------+-------+-------------------+
 * </pre>
 */
public final class PairBytes {
  public static final int FORM = 16;

  static final int MAX_PAIRS = 1 << 16;

  private static final int NARROW_BYTES = 4;
  private static final int NUMBER_BYTES = 8;
  private static final int ADDRESS_BYTES = 16;
  private static final long IPV4_UPPER_HALF = 0xFFFF;

  private PairBytes() {}

  /**
   * Pairs lie in words: [high of an address] low, weight; {@code count} of them are written.
   *
   * @param withEmpty whether slots of weight 0 are written
   */
  public static void write(
      long[] words,
      int from,
      int to,
      boolean ofAddresses,
      boolean withEmpty,
      long refused,
      int count,
      StateSink sink) {
    int stride = ofAddresses ? 3 : 2;
    long allWeights = 0;
    long notNarrow = 0;
    for (int at = from; at < to; at += stride) {
      long weight = words[at + stride - 1];
      allWeights |= weight;
      // The upper half of an IPv4 address or a 32-bit number is known.
      long beyond =
          ofAddresses ? words[at] | ((words[at + 1] >>> 32) ^ IPV4_UPPER_HALF) : words[at] >>> 32;
      notNarrow |= weight == 0 ? 0 : beyond;
    }
    int keyBytes = notNarrow == 0 ? NARROW_BYTES : ofAddresses ? ADDRESS_BYTES : NUMBER_BYTES;
    int weightBytes = Math.max(1, (71 - Long.numberOfLeadingZeros(allWeights)) / 8);
    sink.putByte(FORM);
    sink.putByte(keyBytes);
    sink.putByte(weightBytes);
    sink.putVarint(refused);
    sink.putVarint(count);
    int out = sink.putRoom(count * (keyBytes + weightBytes));
    byte[] bytes = sink.array();
    for (int at = from; at < to; at += stride) {
      long weight = words[at + stride - 1];
      if (weight == 0 && !withEmpty) {
        continue;
      }
      if (keyBytes == NARROW_BYTES) {
        LittleEndian.putInt(bytes, out, (int) words[at + stride - 2]);
      } else {
        LittleEndian.putLong(bytes, out, words[at]);
        if (ofAddresses) {
          LittleEndian.putLong(bytes, out + 8, words[at + 1]);
        }
      }
      out += keyBytes;
      for (int shift = 0; shift < 8 * weightBytes; shift += 8) {
        bytes[out++] = (byte) (weight >>> shift);
      }
    }
  }

  /** Takes pairs one after the other. */
  public interface Target {
    void add(long high, long low, long weight);
  }

  /** Passes pairs on after checking all; returns rows refused before and in the pairs. */
  public static long read(
      StateReader reader, boolean ofAddresses, long refusedBefore, Target target) {
    int keyBytes = reader.getByte();
    if (keyBytes != NARROW_BYTES && keyBytes != (ofAddresses ? ADDRESS_BYTES : NUMBER_BYTES)) {
      throw reader.error(
          "expected keys of " + (ofAddresses ? "4 or 16" : "4 or 8") + " bytes, found " + keyBytes);
    }
    int weightBytes = reader.getByte();
    if (weightBytes < 1 || weightBytes > 8) {
      throw reader.error("expected weights of 1 \u2026 8 bytes, found " + weightBytes);
    }
    long refused = refusedRows(reader);
    int pairBytes = keyBytes + weightBytes;
    int count = reader.count("pairs", MAX_PAIRS, pairBytes);
    int from = reader.skip(count * pairBytes);
    reader.end();
    byte[] bytes = reader.array();
    if (weightBytes == 8) {
      for (int i = 0, at = from + keyBytes; i < count; i++, at += pairBytes) {
        if (LittleEndian.getLong(bytes, at) < 0) {
          throw reader.error("pair " + i + " has a weight above 2^63 \u2212 1");
        }
      }
    }
    for (int i = 0, at = from; i < count; i++, at += pairBytes) {
      long weight = low(bytes, at + keyBytes, weightBytes);
      if (weight != 0) {
        switch (keyBytes) {
          case NARROW_BYTES ->
              target.add(0, IpAddress.ipv4Low(LittleEndian.getInt(bytes, at)), weight);
          case NUMBER_BYTES -> {
            long number = LittleEndian.getLong(bytes, at);
            target.add(ItemKey.highOfNumber(number), ItemKey.lowOfNumber(number), weight);
          }
          default ->
              target.add(
                  LittleEndian.getLong(bytes, at), LittleEndian.getLong(bytes, at + 8), weight);
        }
      }
    }
    return ItemKey.plus(refusedBefore, refused);
  }

  /** Reads the number of rows of negative weight; it is never negative itself. */
  public static long refusedRows(StateReader reader) {
    long refused = reader.getVarint();
    if (refused < 0) {
      throw reader.error("expected at most 2^63 \u2212 1 refused rows");
    }
    return refused;
  }

  private static long low(byte[] bytes, int at, int count) {
    long value = 0;
    for (int i = 0; i < count; i++) {
      value |= (bytes[at + i] & 0xFFL) << (8 * i);
    }
    return value;
  }
}
