package org.flowmon.ingest.spool;

/**
 * A batch from a {@link Spool}, as it was written there.
 *
 * @param time when it was written, µs
 * @param bytes nobody changes them any more
 * @param place to be told of when it has ended
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SpooledBatch(int partition, int rows, long time, byte[] bytes, SpoolPlace place) {}
