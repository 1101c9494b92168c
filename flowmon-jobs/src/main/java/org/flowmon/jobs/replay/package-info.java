/**
 * Replay: an analysis over flows that the archive holds, as the live job would have run it. The
 * source is the archive in place of Kafka; all that follows is the live job's own.
 */
package org.flowmon.jobs.replay;
