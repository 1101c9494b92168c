/**
 * Files whose columns have names (CSV, JSON lines, Parquet's typed rows), parsed in pieces side by
 * side into blocks of rows.
 */
package org.flowmon.ingest.file.row;
