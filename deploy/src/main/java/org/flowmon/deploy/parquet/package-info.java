/** Reads Parquet files of any writer: footers, and flows for an import. */
package org.flowmon.deploy.parquet;
