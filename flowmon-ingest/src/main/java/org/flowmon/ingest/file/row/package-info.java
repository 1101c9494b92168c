/**
 * Reads files with named columns (CSV, JSON lines, Parquet's typed rows), in parallel pieces, into
 * blocks of rows.
 */
@NullMarked
package org.flowmon.ingest.file.row;

import org.jspecify.annotations.NullMarked;
