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
  private int waiting;
  private long unseen;

  /** Nothing waits yet; the header is copied. */
  public HeldDatagram(DatagramHeader header, IngestCounters counters) {
    this.header = header.copy();
    this.counters = counters;
  }

  public DatagramHeader header() {
    return header;
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

  void dropped() {
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
