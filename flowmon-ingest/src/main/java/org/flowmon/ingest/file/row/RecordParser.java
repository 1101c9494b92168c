package org.flowmon.ingest.file.row;

import java.io.IOException;

/** Reads the records of a piece of a text file. One thread uses one. */
interface RecordParser {
  /** Reads all records of {@code out.chunk}, counts its lines. */
  void parse(ParsedChunk out) throws IOException;
}
