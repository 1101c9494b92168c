/** The lookup of flows by the values of columns, for joins of Flink SQL. */
@NullMarked
package org.flowmon.jobs.sql.lookup;

import org.jspecify.annotations.NullMarked;
