/**
 * Starts, changes and stops analyses while the job runs: the control topic, its reader, and the
 * events to the job's operators.
 */
package org.flowmon.jobs.control;
