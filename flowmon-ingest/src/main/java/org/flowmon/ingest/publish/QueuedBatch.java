package org.flowmon.ingest.publish;

/**
 * A batch, or a heartbeat, with its place in its partition's stream, on its way to Kafka.
 *
 * @param bytes the batch; nobody changes them any more
 * @param rows its flows, 0 of a heartbeat
 * @param losses the losses that its header tells
 * @param beginNanos when its first row came, by {@link System#nanoTime}
 * @param queuedNanos when it was queued, likewise
 */
record QueuedBatch(
    int partition, byte[] bytes, int rows, long losses, long beginNanos, long queuedNanos) {}
