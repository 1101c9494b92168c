/**
 * Analyses: the file of one, the set that a job runs and changes, and the limits on all together.
 */
@NullMarked
package org.flowmon.jobs.analysis;

import org.jspecify.annotations.NullMarked;
