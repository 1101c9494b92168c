/**
 * Starts, changes and stops analyses while the job runs: the control topic, its reader, and the
 * events to the job's operators.
 */
@NullMarked
package org.flowmon.jobs.control;

import org.jspecify.annotations.NullMarked;
