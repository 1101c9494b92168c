/** Reads flows out of Parquet files of any writer, for an import. */
@NullMarked
package org.flowmon.deploy.parquet;

import org.jspecify.annotations.NullMarked;
