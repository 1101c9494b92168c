package org.flowmon.deploy.inspect;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.flowmon.deploy.output.Facts;

/** Facts of a file of a known kind. */
public final class FileFacts {
  private FileFacts() {}

  /**
   * Reads a Parquet file or a sidecar, told by its first bytes.
   *
   * @throws IOException saying so if it is neither, or is damaged
   */
  public static Facts of(Path file) throws IOException {
    byte[] magic;
    try (InputStream in = Files.newInputStream(file)) {
      magic = in.readNBytes(4);
    }
    return switch (new String(magic, StandardCharsets.ISO_8859_1)) {
      case "PAR1" -> ParquetFacts.of(file);
      case "PFA1" -> SidecarFacts.of(file);
      default ->
          throw new IOException(
              file + ": neither a Parquet file (PAR1) nor a sidecar (PFA1) by its first bytes");
    };
  }
}
