/**
 * Analyses: the file of one, the set that a job runs and changes, and the limits on all together.
 */
package org.flowmon.jobs.analysis;
