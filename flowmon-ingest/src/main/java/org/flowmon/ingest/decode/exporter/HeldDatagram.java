package org.flowmon.ingest.decode.exporter;

import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.record.DatagramHeader;

/**
 * A datagram with sets that wait for their template, and the flows that are known to be in them:
 * what is left of these when no set waits any more is lost.
 */
public final class HeldDatagram {
  private final IngestCounters counters;
  private final DatagramHeader header;
  private final int life;
  private int waiting;
  private long unseen;

  /** Nothing waits yet; the header is copied, {@code life} is {@link ObservationDomain#life}. */
  public HeldDatagram(DatagramHeader header, int life, IngestCounters counters) {
    this.header = header.copy();
    this.life = life;
    this.counters = counters;
  }

  public DatagramHeader header() {
    return header;
  }

  /** Of the domain that its templates would be of. */
  public int life() {
    return life;
  }

  void waits() {
    waiting++;
  }

  /** The exporter's counts tell that its unread sets held so many records. */
  public void told(long records) {
    unseen += records;
    settle();
  }

  /** A set was decoded after all. */
  public void decoded(long records) {
    unseen -= records;
    counters.increment(IngestCounter.SETS_DECODED_LATE);
    end();
  }

  /** A set was given up. */
  public void dropped() {
    counters.increment(IngestCounter.SETS_DROPPED_NO_TEMPLATE);
    end();
  }

  private void end() {
    waiting--;
    settle();
  }

  private void settle() {
    if (waiting == 0 && unseen > 0) {
      counters.add(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE, unseen);
      unseen = 0;
    }
  }
}
