package org.flowmon.archive.commit;

/** The replacement of a segment by a commit, written at a time (µs) by its writer's clock. */
public record Removal(long commit, long timeMicros) {}
