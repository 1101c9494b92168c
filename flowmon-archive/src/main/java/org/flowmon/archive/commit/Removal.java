package org.flowmon.archive.commit;

/**
 * The replacement of a segment by others.
 *
 * @param commit number of the replacing commit
 * @param timeMicros when that commit was written, in microseconds, by the clock of its writer
 */
public record Removal(long commit, long timeMicros) {}
