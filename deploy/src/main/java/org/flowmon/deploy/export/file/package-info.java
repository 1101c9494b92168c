/**
 * Writes rows to a file of CSV, JSON lines or Parquet, which exists with all its rows or not at
 * all.
 */
@NullMarked
package org.flowmon.deploy.export.file;

import org.jspecify.annotations.NullMarked;
