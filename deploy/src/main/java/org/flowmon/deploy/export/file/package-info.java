/** Rows as a file of CSV, JSON lines or Parquet, there with all its rows or not at all. */
package org.flowmon.deploy.export.file;
