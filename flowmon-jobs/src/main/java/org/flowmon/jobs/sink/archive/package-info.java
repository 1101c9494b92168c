/**
 * The archive as a sink: flows sealed into segments by each writer, and committed once per barrier
 * by one task.
 */
@NullMarked
package org.flowmon.jobs.sink.archive;

import org.jspecify.annotations.NullMarked;
