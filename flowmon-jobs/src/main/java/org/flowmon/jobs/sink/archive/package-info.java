/**
 * The archive as a sink: flows sealed into segments by each writer, and committed once per barrier
 * by one task.
 */
package org.flowmon.jobs.sink.archive;
