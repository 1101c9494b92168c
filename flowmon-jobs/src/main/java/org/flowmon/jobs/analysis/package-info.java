/**
 * Analyses: what the file of one says, the set that a job runs as it changes, and what all of them
 * may take together.
 */
package org.flowmon.jobs.analysis;
