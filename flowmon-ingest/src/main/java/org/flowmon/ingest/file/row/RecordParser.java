package org.flowmon.ingest.file.row;

import java.io.IOException;

/** Reads the records of a piece of a text file. Each thread has its own parser. */
interface RecordParser {
  /** Reads all records of {@code out.chunk} and counts its lines. */
  void parse(ParsedChunk out) throws IOException;
}
