package org.flowmon.ingest.publish;

/**
 * A batch or a heartbeat, with its place in its partition's stream, on its way to Kafka.
 *
 * @param bytes the batch, which nobody changes any more
 * @param rows its flows, 0 for a heartbeat
 * @param losses the losses in its header
 * @param beginNanos when its first row came, by {@link System#nanoTime}
 * @param queuedNanos when it was queued, by {@link System#nanoTime}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record QueuedBatch(
    int partition, byte[] bytes, int rows, long losses, long beginNanos, long queuedNanos) {}
