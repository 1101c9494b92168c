package org.flowmon.ingest.file;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The lines that were not flows: counted by reason and, where a rejects file is given, kept there
 * with file, line number, reason and the line itself ({@code docs/format/files.md}). The rejects
 * file is made with the first line that needs it. Not thread-safe.
 */
public final class RejectedLines implements Closeable {
  private static final RejectReason[] REASONS = RejectReason.values();

  private final Path target;
  private final long[] counts = new long[REASONS.length];
  private JsonGenerator json;

  private RejectedLines(Path target) {
    this.target = target;
  }

  /** Counts and keeps. A rejects file that is there already is replaced, its folder made. */
  public static RejectedLines to(Path rejectsFile) {
    return new RejectedLines(rejectsFile);
  }

  /** Counts and keeps nothing. */
  public static RejectedLines countOnly() {
    return new RejectedLines(null);
  }

  /**
   * Takes one line.
   *
   * @param line its number, from 1
   * @param detail what was found and what was expected
   * @param truncated whether only the beginning of the line is there
   */
  void add(
      Path file,
      long line,
      RejectReason reason,
      String detail,
      byte[] bytes,
      int from,
      int to,
      boolean truncated)
      throws IOException {
    counts[reason.ordinal()]++;
    if (target == null) {
      return;
    }
    JsonGenerator out = generator();
    out.writeStartObject();
    out.writeStringField("file", file.toString());
    out.writeNumberField("line", line);
    out.writeStringField("reason", reason.label());
    out.writeStringField("detail", detail);
    String text = utf8OrNull(bytes, from, to);
    if (text != null) {
      out.writeStringField("raw", text);
    } else {
      out.writeFieldName("raw_base64");
      out.writeBinary(bytes, from, to - from);
    }
    if (truncated) {
      out.writeBooleanField("truncated", true);
    }
    out.writeEndObject();
  }

  private static String utf8OrNull(byte[] bytes, int from, int to) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, from, to - from))
          .toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private JsonGenerator generator() throws IOException {
    if (json == null) {
      Files.createDirectories(target.toAbsolutePath().getParent());
      json =
          new JsonFactory()
              .createGenerator(
                  new BufferedOutputStream(Files.newOutputStream(target), 1 << 16),
                  JsonEncoding.UTF8);
      json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
    }
    return json;
  }

  /** The rejects file, null where lines are only counted. */
  public Path target() {
    return target;
  }

  /** Reason → lines, those that are not 0, in the order of {@link RejectReason}. */
  public Map<String, Long> counts() {
    return since(new long[REASONS.length]);
  }

  /** Lines of all reasons. */
  public long total() {
    return Arrays.stream(counts).sum();
  }

  /** What a reader remembers to tell its own lines from those of the files before. */
  long[] mark() {
    return counts.clone();
  }

  Map<String, Long> since(long[] mark) {
    Map<String, Long> since = new LinkedHashMap<>();
    for (RejectReason reason : REASONS) {
      long count = counts[reason.ordinal()] - mark[reason.ordinal()];
      if (count > 0) {
        since.put(reason.label(), count);
      }
    }
    return since;
  }

  @Override
  public void close() throws IOException {
    if (json != null) {
      json.writeRaw('\n');
      json.close();
    }
  }
}
