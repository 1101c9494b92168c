package org.flowmon.bench.hostile;

import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import org.flowmon.bench.live.FlowWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.udaf.aggregate.GroupHash;

/** An attack by writing to the topic of flows beside the good batches. */
enum LiveAttack {
  NONE("nothing", 0, 0, 0),
  HASH("as many flows, whose IPv6 sources share one GroupHash", 1, 0, 0) {
    @Override
    void source(FlowBatchBuilder to, long number) {
      long high = 0x2001_0DB8L << 32 | number;
      long mixed = Long.rotateLeft(GroupHash.mix(GroupHash.SEED, high), 25);
      to.setAddress(FlowColumn.SRC_ADDR, high, mixed ^ HASHED);
    }
  },
  KEYS("flows of 50 times as many sources, no two the same", 50, 0, 0) {
    @Override
    void source(FlowBatchBuilder to, long number) {
      to.setAddress(FlowColumn.SRC_ADDR, 0x2001_0DB8L << 32 | number >>> 8, number * MULTIPLIER);
    }
  },
  HOT("flows of one source, ten times as many", 10, 0, 0),
  CLOCKS("a collector an hour behind and one an hour ahead", 0.5, 0, 3600),
  LATE("a tenth of flows that ended five minutes ago", 0.1, 300, 0),
  /** A batch that differs from good ones by its producer and one byte. */
  MESSAGES("a hostile message for each tenth good one", 0, 0, 0) {
    @Override
    List<byte[]> behind(FlowBatch good, long number, Random random) {
      FlowBatchBuilder builder = new FlowBatchBuilder(good.rows());
      for (int row = 0; row < good.rows(); row++) {
        builder.beginRow();
        flow(builder, good.getLong(FlowColumn.ARRIVAL, row), 0, row);
      }
      byte[] bytes = builder.build(random.nextLong(), number, good.rows(), 0);
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
      return List.of(bytes);
    }
  },
  DUPLICATES("each tenth batch twice", 0, 0, 0) {
    @Override
    List<byte[]> behind(FlowBatch good, long number, Random random) {
      return List.of(good.bytes());
    }
  };

  /** The only difference between an attack's flow and good ones. */
  static final int DOMAIN = 666;

  private static final int EVERY = 10;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L; // of GroupHash, which is not secret
  private static final long HASHED =
      0x0123_4567_89AB_CDEFL
          * BigInteger.valueOf(MULTIPLIER).modInverse(BigInteger.ONE.shiftLeft(64)).longValue();

  final String words;

  /** Flows for each good flow. */
  final double share;

  /** Seconds from a flow's end to its arrival. */
  final int late;

  /** Seconds by which the clock of one of two collectors is behind, and that of the other ahead. */
  final int skew;

  LiveAttack(String words, double share, int late, int skew) {
    this.words = words;
    this.share = share;
    this.late = late;
    this.skew = skew;
  }

  /** Sets the source of a flow. */
  void source(FlowBatchBuilder to, long number) {
    to.setIpv4(FlowColumn.SRC_ADDR, 0xC633_6401);
  }

  /** Messages that directly follow one of the good batches. */
  List<byte[]> behind(FlowBatch good, long number, Random random) {
    return List.of();
  }

  /** Makes messages follow each tenth batch of a writer, and counts their flows. */
  final void follow(FlowWriter good, long[] flows, long seed) {
    Random random = new Random(seed);
    long[] batches = new long[1];
    good.follow(
        (partition, value) -> {
          FlowBatch batch = FlowBatch.open(value);
          // Full batches only, so that the row count in a mutated header does not matter.
          if (batch.rows() < FlowWriter.BATCH_ROWS || ++batches[0] % EVERY > 0) {
            return List.of();
          }
          List<byte[]> messages = behind(batch, batches[0], random);
          flows[0] += (long) messages.size() * batch.rows();
          return messages;
        });
  }

  /** Fills in the open row and ends it. */
  final void flow(FlowBatchBuilder to, long arrivalMicros, int lateSeconds, long number) {
    long end = arrivalMicros - 200_000 - lateSeconds * 1_000_000L;
    to.set(FlowColumn.ARRIVAL, arrivalMicros);
    to.set(FlowColumn.START_TIME, end);
    to.set(FlowColumn.END_TIME, end);
    source(to, number);
    to.setIpv4(FlowColumn.DST_ADDR, 0xCB00_7101);
    to.set(FlowColumn.PROTOCOL, 17);
    to.set(FlowColumn.DST_PORT, 9);
    to.set(FlowColumn.BYTES, 40);
    to.set(FlowColumn.PACKETS, 1);
    to.set(FlowColumn.OUTGOING, 0);
    to.set(FlowColumn.OBSERVATION_DOMAIN, DOMAIN);
    to.set(FlowColumn.SOURCE_KIND, SourceKind.SYNTHETIC.code());
    to.endRow();
  }
}
