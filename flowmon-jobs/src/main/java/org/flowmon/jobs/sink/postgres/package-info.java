/**
 * PostgreSQL as a sink: a table for each analysis, in which a report replaces its window's rows in
 * one transaction.
 */
@NullMarked
package org.flowmon.jobs.sink.postgres;

import org.jspecify.annotations.NullMarked;
