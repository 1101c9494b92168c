package org.flowmon.udaf.group;

import java.math.BigInteger;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.aggregate.GroupHash;

/**
 * Keys with chosen hashes: {@link GroupHash} is no secret, and all 64 bits of these addresses'
 * hashes are equal.
 */
final class ChosenKeys {
  static final long ARRIVAL = 1_768_478_400_000_000L;

  private static final int ROWS = 1000;
  private static final long WANTED = 0x0123_4567_89AB_CDEFL;

  private ChosenKeys() {}

  /** The i-th address whose {@link GroupHash}, as the one key of a query, is always the same. */
  static IpAddress address(int i) {
    long high = 0x2001_0DB8L << 32 | i;
    return new IpAddress(high, lastWord(GroupHash.mix(GroupHash.SEED, high)));
  }

  /** The word that turns the unfinished hash of the previous words into the wanted one. */
  static long lastWord(long hashSoFar) {
    return Long.rotateLeft(hashSoFar, 25) ^ (WANTED * inverse(0x9E3779B97F4A7C15L));
  }

  static long inverse(long odd) {
    return BigInteger.valueOf(odd).modInverse(BigInteger.ONE.shiftLeft(64)).longValue();
  }

  /** An address; no two are the same. */
  static IpAddress anyAddress(int i) {
    return new IpAddress(0x2001_0DB8L << 32 | i, i * 0x9E3779B97F4A7C15L + 7);
  }

  /** Takes the i-th row. */
  interface Row {
    void set(FlowBatchBuilder builder, int i);
  }

  /** Batches of rows, one after the other. */
  static FlowBatch[] batches(int rows, Row row) {
    FlowBatch[] batches = new FlowBatch[(rows + ROWS - 1) / ROWS];
    for (int b = 0; b < batches.length; b++) {
      FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
      for (int i = b * ROWS; i < Math.min(rows, (b + 1) * ROWS); i++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, ARRIVAL);
        builder.set(FlowColumn.END_TIME, ARRIVAL);
        builder.set(FlowColumn.BYTES, 40 + i % 1000);
        row.set(builder, i);
        builder.endRow();
      }
      batches[b] = FlowBatch.open(builder.build(1, b, 0, 0));
    }
    return batches;
  }
}
