package org.flowmon.ingest.publish;

import java.util.Optional;
import org.flowmon.ingest.spool.SpoolPlace;

/**
 * A batch on its way to Kafka, or a heartbeat (0 rows), with the losses in its header. Times are
 * {@link System#nanoTime} of its first row and of queueing; nobody changes the bytes any more.
 *
 * @param losses 0 if it comes from a spool: readers will know of them, they count as told
 * @param place in the spool that it comes from, if any
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record QueuedBatch(
    int partition,
    byte[] bytes,
    int rows,
    long losses,
    long beginNanos,
    long queuedNanos,
    Optional<SpoolPlace> place) {}
