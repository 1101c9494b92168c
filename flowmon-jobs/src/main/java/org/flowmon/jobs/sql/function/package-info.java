/**
 * Aggregate functions of Flink SQL with the sketches of {@code docs/aggregates.md} ({@code
 * docs/sql.md}).
 */
@NullMarked
package org.flowmon.jobs.sql.function;

import org.jspecify.annotations.NullMarked;
