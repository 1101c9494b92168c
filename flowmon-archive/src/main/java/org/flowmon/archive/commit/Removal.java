package org.flowmon.archive.commit;

/**
 * When a segment was replaced by others.
 *
 * @param commit number of the commit that did it
 * @param timeMicros when that was written, in microseconds, by the clock of who wrote it
 */
public record Removal(long commit, long timeMicros) {}
