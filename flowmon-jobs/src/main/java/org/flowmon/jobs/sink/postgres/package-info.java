/**
 * PostgreSQL as a sink: a table for each analysis, in which a report replaces its window's rows in
 * one transaction.
 */
package org.flowmon.jobs.sink.postgres;
