/**
 * Analyses that come, change and go while the job runs: the topic that says so, who reads it, and
 * how the job's operators hear of it.
 */
package org.flowmon.jobs.control;
