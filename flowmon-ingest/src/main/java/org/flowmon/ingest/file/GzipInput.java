package org.flowmon.ingest.file;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Opens a file, decompressing it where it begins as gzip does. */
final class GzipInput {
  private static final int BUFFER = 1 << 16;

  private GzipInput() {}

  static InputStream open(Path file) throws IOException {
    InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER);
    try {
      raw.mark(2);
      boolean gzip = raw.read() == 0x1F && raw.read() == 0x8B;
      raw.reset();
      return gzip ? new GZIPInputStream(raw, BUFFER) : raw;
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }
}
