package org.flowmon.ingest.synthetic.exporter;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.flowmon.flow.SourceKind;

/** Faults of exports, drawn from a seed and counted. */
final class WireFaults {
  static final WireFaults NONE = new WireFaults(Faults.NONE, 0);

  private static final int SFLOW_SAMPLES_AT = 28;

  private final Faults shares;
  private final SplittableRandom random;
  private long templatesLost;
  private long lost;
  private long duplicates;
  private long malformed;
  private long recordsLost;

  WireFaults(Faults shares, long seed) {
    this.shares = shares;
    this.random = new SplittableRandom(seed);
  }

  private boolean happens(double share) {
    return share > 0 && random.nextDouble() < share;
  }

  boolean losesTemplates() {
    boolean loses = happens(shares.templateLoss());
    templatesLost += loses ? 1 : 0;
    return loses;
  }

  boolean loses(int records) {
    boolean loses = happens(shares.loss());
    lost += loses ? 1 : 0;
    recordsLost += loses ? records : 0;
    return loses;
  }

  boolean duplicates() {
    boolean twice = happens(shares.duplicates());
    duplicates += twice ? 1 : 0;
    return twice;
  }

  /** Perhaps makes it one that decoders refuse or call damaged; {@code datagram} is from 0 on. */
  void damage(ByteBuffer datagram, SourceKind version, int records) {
    if (!happens(shares.malformed())) {
      return;
    }
    malformed++;
    recordsLost += records;
    switch (random.nextInt(3)) {
      case 0 -> datagram.limit(4 + random.nextInt(12)); // ends within the header
      case 1 -> datagram.putInt(0, random.nextInt(100, 200) << 16); // of no version
      default -> overstate(datagram, version);
    }
  }

  /** Makes it say that it is longer than it is. */
  private static void overstate(ByteBuffer datagram, SourceKind version) {
    switch (version) {
      case SFLOW -> datagram.putInt(SFLOW_SAMPLES_AT + 4, 0xFFFF);
      case NETFLOW_V9 -> datagram.putShort(NetFlowV9Encoder.HEADER + 2, (short) 0xFFFF);
      default -> datagram.putShort(2, (short) 0xFFFF);
    }
  }

  Faults.Counts counts() {
    return new Faults.Counts(templatesLost, lost, duplicates, malformed, recordsLost);
  }
}
