/** Flows as rows of Flink SQL: the types of columns, and the rows of results and of batches. */
@NullMarked
package org.flowmon.jobs.sql.row;

import org.jspecify.annotations.NullMarked;
