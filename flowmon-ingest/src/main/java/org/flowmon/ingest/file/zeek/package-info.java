/** Reads Zeek's connection logs, TSV and JSON, line by line. */
@NullMarked
package org.flowmon.ingest.file.zeek;

import org.jspecify.annotations.NullMarked;
