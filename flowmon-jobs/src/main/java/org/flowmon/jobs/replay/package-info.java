/**
 * Replay: an analysis over archived flows, as the live job would have run it. The source is the
 * archive in place of Kafka; all later operators are the live job's.
 */
@NullMarked
package org.flowmon.jobs.replay;

import org.jspecify.annotations.NullMarked;
