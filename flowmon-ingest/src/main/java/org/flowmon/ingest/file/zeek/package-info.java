/** Reads Zeek's connection logs, TSV and JSON, line by line. */
package org.flowmon.ingest.file.zeek;
