/**
 * The format {@code flowmon-batch} of Flink SQL: the messages of topic {@code flows} as rows
 * ({@code docs/sql.md}).
 */
@NullMarked
package org.flowmon.jobs.sql.batch;

import org.jspecify.annotations.NullMarked;
