package org.flowmon.archive.manifest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.flow.bytes.Crc32c;

/** The file naming the newest commit, or an older one: else a lost newest one goes unnoticed. */
public final class LatestCommit {
  public static final String FILE = Manifest.FOLDER + "/latest";

  private static final int MAX_BYTES = 256;
  private static final Pattern LINE =
      Pattern.compile("(flowmon manifest (\\d{1,18})) ([0-9a-f]{8})\n");

  private LatestCommit() {}

  static void write(ArchiveStore store, long number) throws IOException {
    String text = "flowmon manifest " + number;
    store.replace(FILE, (text + " " + checksum(text) + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  private static String checksum(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return Crc32c.hex(Crc32c.of(bytes, 0, bytes.length));
  }

  /** The named commit, −1 without a file; {@link ManifestCorruptException} if damaged. */
  static long read(ArchiveStore store) throws IOException {
    byte[] bytes = store.read(FILE, 1 << 20);
    if (bytes == null) {
      return -1;
    }
    String text =
        new String(bytes, 0, Math.min(bytes.length, MAX_BYTES), StandardCharsets.ISO_8859_1);
    Matcher line = LINE.matcher(text);
    if (!line.matches() || !line.group(3).equals(checksum(line.group(1)))) {
      throw new ManifestCorruptException(
          FILE, "line", "expected 'flowmon manifest <number> <checksum>' with a fitting checksum");
    }
    return Long.parseLong(line.group(2));
  }
}
