package org.flowmon.archive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.store.ArchiveStore;

/**
 * The archive's options for new segments, which change no answer: the file {@code settings}, lines
 * of {@code key: value} in UTF-8 ({@code docs/format/segment.md}).
 */
final class ArchiveSettings {
  static final String FILE = "settings";

  private static final String SEGMENTS = "segments: ";
  private static final int MAX_BYTES = 1 << 16;

  private final ArchiveStore store;

  ArchiveSettings(ArchiveStore store) {
    this.store = store;
  }

  private List<String> lines() throws IOException {
    byte[] bytes = store.read(FILE, MAX_BYTES);
    return bytes == null ? List.of() : new String(bytes, StandardCharsets.UTF_8).lines().toList();
  }

  SegmentOptions segments() throws IOException {
    for (String line : lines()) {
      if (line.startsWith(SEGMENTS)) {
        try {
          return SegmentOptions.parse(line.substring(SEGMENTS.length()));
        } catch (IllegalArgumentException e) {
          throw new IOException(
              store.describe(FILE) + ": '" + line + "': " + e.getMessage() + "; set them anew", e);
        }
      }
    }
    return SegmentOptions.LOOKUP;
  }

  /** Replaces the options; other lines stay. */
  void setSegments(SegmentOptions options) throws IOException {
    List<String> lines = new ArrayList<>(lines());
    lines.removeIf(line -> line.startsWith(SEGMENTS));
    lines.add(SEGMENTS + options);
    store.replace(FILE, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
