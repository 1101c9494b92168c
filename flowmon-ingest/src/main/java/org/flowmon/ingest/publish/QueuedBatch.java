package org.flowmon.ingest.publish;

/** A batch or a heartbeat, with its place in its partition's stream, on its way to Kafka. */
final class QueuedBatch {
  private final int partition;
  private final byte[] bytes;
  private final int rows;
  private final long losses;
  private final long beginNanos;
  private final long queuedNanos;

  /**
   * @param bytes the batch, which nobody changes any more
   * @param rows its flows, 0 for a heartbeat
   * @param losses the losses in its header
   * @param beginNanos when its first row came, by {@link System#nanoTime}
   * @param queuedNanos when it was queued, by {@link System#nanoTime}
   */
  QueuedBatch(
      int partition, byte[] bytes, int rows, long losses, long beginNanos, long queuedNanos) {
    this.partition = partition;
    this.bytes = bytes;
    this.rows = rows;
    this.losses = losses;
    this.beginNanos = beginNanos;
    this.queuedNanos = queuedNanos;
  }

  int partition() {
    return partition;
  }

  byte[] bytes() {
    return bytes;
  }

  int rows() {
    return rows;
  }

  long losses() {
    return losses;
  }

  long beginNanos() {
    return beginNanos;
  }

  long queuedNanos() {
    return queuedNanos;
  }
}
