package org.flowmon.flow;

import java.security.SecureRandom;

/**
 * The numbers in the headers of one producer's batches in one partition: a random id, a sequence
 * without gaps (shared with heartbeats) and cumulative counts. Not thread-safe.
 */
public final class BatchStream {
  private static final SecureRandom IDS = new SecureRandom();

  private final long producerId = IDS.nextLong();
  private long sequence;
  private long flows;

  public long producerId() {
    return producerId;
  }

  long sequence() {
    return sequence;
  }

  long flows() {
    return flows;
  }

  void add(int rows) {
    sequence++;
    flows += rows;
  }

  public byte[] heartbeat(long arrival, long losses) {
    return Heartbeat.of(producerId, sequence++, flows, losses, arrival);
  }

  /** Returns a heartbeat that ends the input; {@code arrival} is for watermarks only. */
  public byte[] endOfInput(long arrival, long losses) {
    return Heartbeat.endOfInput(producerId, sequence++, flows, losses, arrival);
  }
}
