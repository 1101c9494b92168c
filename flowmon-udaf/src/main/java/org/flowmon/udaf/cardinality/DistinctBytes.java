package org.flowmon.udaf.cardinality;

import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;

/**
 * The bytes of distinct counts, forms 32 … 41; {@code docs/format/states.md} is the specification,
 * this class owns the layouts.
 *
 * <pre>
 *   hashes     | 32 | hash u64 …                                              to the end
 *   exact      | 33 | hash u64 …  ascending unsigned                          to the end
 *   registers  | 34 | 2^p registers of 6 bits
 *   counted    | 40 | bytes of a count u8 | (hash u64, count) …               to the end
 *   sample     | 41 | theta u64 | entries varint | (hash u64, rows varint) …  ascending
 * </pre>
 */
final class DistinctBytes {
  static final int HASHES = 32;
  static final int EXACT = 33;
  static final int REGISTERS = 34;
  static final int COUNTED = 40;
  static final int SAMPLE = 41;

  private static final int REGISTER_BITS = 6;
  static final int LEAST_ENTRY_BYTES = 9;

  private DistinctBytes() {}

  /** 0 is an empty slot. */
  static void writeHashes(long[] words, int from, int to, StateSink sink) {
    sink.putByte(HASHES);
    for (int at = from; at < to; at++) {
      if (words[at] != 0) {
        sink.putLong(words[at]);
      }
    }
  }

  static void writeExact(long[] hashes, StateSink sink) {
    sink.putByte(EXACT);
    for (long hash : hashes) {
      sink.putLong(hash);
    }
  }

  /** Reads the hashes after form 32 or, ascending, 33. */
  static long[] readHashes(StateReader reader, boolean ascending) {
    if (reader.remaining() % 8 != 0) {
      throw reader.error("expected hashes of 8 bytes, found " + reader.remaining() + " bytes");
    }
    long[] hashes = new long[reader.remaining() / 8];
    long last = 0;
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = reader.getLong();
      if (hashes[i] == 0 || (ascending && Long.compareUnsigned(last, hashes[i]) >= 0)) {
        throw reader.error(
            ascending ? "expected hashes in ascending order" : "expected no hash that is 0");
      }
      last = hashes[i];
    }
    return hashes;
  }

  /** A multiple of four of them. */
  static void writeRegisters(byte[] registers, StateSink sink) {
    sink.putByte(REGISTERS);
    for (int i = 0; i < registers.length; i += 4) {
      int bits = 0;
      for (int k = 0; k < 4; k++) {
        bits |= registers[i + k] << (REGISTER_BITS * k);
      }
      sink.putLow(bits, 3);
    }
  }

  /** 2^precision of them, after their form. */
  static byte[] readRegisters(StateReader reader, int precision) {
    int count = 1 << precision;
    if (reader.remaining() != count / 4 * 3) {
      throw reader.error(
          "expected registers of " + count / 4 * 3 + " bytes, found " + reader.remaining());
    }
    byte[] registers = new byte[count];
    for (int i = 0; i < count; i += 4) {
      long bits = reader.getLow(3);
      for (int k = 0; k < 4; k++) {
        registers[i + k] = (byte) (bits >>> (REGISTER_BITS * k) & 0x3F);
        if (registers[i + k] > 65 - precision) {
          throw reader.error(
              String.format(
                  "register %s: expected at most %s, found %s",
                  i + k, 65 - precision, registers[i + k]));
        }
      }
    }
    return registers;
  }

  static void writeCounted(long[] words, int from, int to, StateSink sink) {
    long all = 0;
    for (int at = from; at < to; at += 2) {
      all |= words[at + 1];
    }
    int countBytes = (71 - Long.numberOfLeadingZeros(all)) / 8;
    sink.putByte(COUNTED);
    sink.putByte(countBytes);
    for (int at = from; at < to; at += 2) {
      if (words[at] != 0) {
        sink.putLong(words[at]);
        sink.putLow(words[at + 1], countBytes);
      }
    }
  }

  /** Reads counted hashes after their form: hash, rows, hash, rows … */
  static long[] readCounted(StateReader reader) {
    int countBytes = reader.getByte();
    if (countBytes < 1 || countBytes > 8) {
      throw reader.error("expected counts of 1 \u2026 8 bytes, found " + countBytes);
    }
    if (reader.remaining() % (8 + countBytes) != 0) {
      throw reader.error(
          "expected pairs of " + (8 + countBytes) + " bytes, found " + reader.remaining());
    }
    long[] pairs = new long[2 * (reader.remaining() / (8 + countBytes))];
    for (int i = 0; i < pairs.length; i += 2) {
      pairs[i] = LittleEndian.getLong(reader.array(), reader.skip(8));
      pairs[i + 1] = reader.getLow(countBytes);
      requireEntry(reader, pairs[i], pairs[i + 1], SampledValues.ALL);
    }
    return pairs;
  }

  private static void requireEntry(StateReader reader, long hash, long rows, long theta) {
    if (hash < 1 || hash >= theta || rows < 1) {
      throw reader.error(
          "expected a hash from 1 to below " + theta + " with rows, found " + hash + ", " + rows);
    }
  }

  /** {@code pairs} are hash, rows, by hash ascending. */
  static void writeSample(long theta, long[] pairs, StateSink sink) {
    sink.putByte(SAMPLE);
    sink.putLong(theta);
    sink.putVarint(pairs.length / 2);
    for (int i = 0; i < pairs.length; i += 2) {
      sink.putLong(pairs[i]);
      sink.putVarint(pairs[i + 1]);
    }
  }

  /** Reads a sample of at most k entries after its form: theta, then hash, rows, hash, rows … */
  static long[] readSample(StateReader reader, int k) {
    long theta = reader.getLong();
    if (theta < 1) {
      throw reader.error("expected theta from 1 to 2^63 \u2212 1");
    }
    int count = reader.count("entries", k, LEAST_ENTRY_BYTES);
    long[] sample = new long[1 + 2 * count];
    sample[0] = theta;
    long last = 0;
    for (int i = 1; i < sample.length; i += 2) {
      sample[i] = reader.getLong();
      sample[i + 1] = reader.getVarint();
      requireEntry(reader, sample[i], sample[i + 1], theta);
      if (sample[i] <= last) {
        throw reader.error("expected entries in ascending order");
      }
      last = sample[i];
    }
    reader.end();
    return sample;
  }
}
