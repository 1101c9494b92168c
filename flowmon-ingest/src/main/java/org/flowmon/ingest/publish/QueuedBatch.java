package org.flowmon.ingest.publish;

/**
 * A batch on its way to Kafka, or a heartbeat (0 rows), with the losses in its header. Times are
 * {@link System#nanoTime} of its first row and of queueing; nobody changes the bytes any more.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record QueuedBatch(
    int partition, byte[] bytes, int rows, long losses, long beginNanos, long queuedNanos) {}
