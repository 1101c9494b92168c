/** Reads flows out of Parquet files of any writer, for an import. */
package org.flowmon.deploy.parquet;
