/** Rows with keys as sorted arrays: joined, summed to traffic matrices, and compared. */
package org.flowmon.jobs.report.matrix;
