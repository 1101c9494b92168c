/**
 * Flows and answers in the formats of others: CSV, JSON lines, Parquet, tables of SQL databases.
 */
package org.flowmon.deploy.export;
