/** Rows with keys as sorted arrays: joined, summed to traffic matrices, and compared. */
@NullMarked
package org.flowmon.jobs.report.matrix;

import org.jspecify.annotations.NullMarked;
