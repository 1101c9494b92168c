package org.flowmon.ingest.file.reader;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.text.JsonText;
import org.jspecify.annotations.Nullable;

/**
 * Counts rejected lines by reason. A rejects file ({@code docs/format/files.md}), created with the
 * first, keeps {@link #MOST_LINES} up to {@link #MOST_BYTES}, as a small file can decompress to any
 * number of lines. Its last line tells how many more were only counted. Not thread-safe.
 */
public final class RejectedLines implements Closeable {
  public static final long MOST_LINES = 1_000_000;

  public static final long MOST_BYTES = 1L << 30;

  // Lines between two calls of the check.
  private static final int CHECKED = 1024;
  private static final RejectReason[] REASONS = RejectReason.values();

  private final @Nullable Path target;
  private final Runnable check;
  private long linesLeft;
  private long bytesLeft;
  private long onlyCounted;
  private long taken;
  private final long[] counts = new long[REASONS.length];
  private @Nullable JsonGenerator json;
  private @Nullable String first;

  private RejectedLines(@Nullable Path target, long mostLines, long mostBytes, Runnable check) {
    this.target = target;
    this.linesLeft = mostLines;
    this.bytesLeft = mostBytes;
    this.check = check;
  }

  /** Overwrites, and creates the folder. {@code check} runs regularly; it may throw to stop. */
  public static RejectedLines to(Path rejectsFile, Runnable check) {
    return to(rejectsFile, MOST_LINES, MOST_BYTES, check);
  }

  static RejectedLines to(Path rejectsFile, long mostLines, long mostBytes, Runnable check) {
    return new RejectedLines(rejectsFile, mostLines, mostBytes, check);
  }

  public static RejectedLines countOnly() {
    return new RejectedLines(null, 0, 0, () -> {});
  }

  /**
   * Takes {@code line}: its number, from 1.
   *
   * @param detail the text found and the one expected
   * @param truncated only the line's beginning is there
   */
  public void add(
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
    if (taken++ % CHECKED == 0) {
      check.run();
    }
    if (target == null || reason == RejectReason.OTHER_RECORD) {
      return;
    }
    if (first == null) {
      first = "line " + line + ": " + detail;
    }
    long size = (long) to - from + detail.length();
    if (onlyCounted > 0 || linesLeft == 0 || size > bytesLeft) {
      onlyCounted++;
      return;
    }
    linesLeft--;
    bytesLeft -= size;
    JsonGenerator out = generator(target);
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

  private static @Nullable String utf8OrNull(byte[] bytes, int from, int to) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, from, to - from))
          .toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private JsonGenerator generator(Path file) throws IOException {
    JsonGenerator open = json;
    if (open == null) {
      Files.createDirectories(file.toAbsolutePath().getParent());
      OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
      open = JsonText.factory().createGenerator(out, JsonEncoding.UTF8);
      open.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
      json = open;
    }
    return open;
  }

  /** The number of the first rejected line and its fault, for people. */
  public Optional<String> first() {
    return Optional.ofNullable(first);
  }

  /** Lines that are counted but not in the rejects file, because it was full. */
  public long onlyCounted() {
    return onlyCounted;
  }

  public long total() {
    return Arrays.stream(counts).sum();
  }

  /** Tells a reader's own lines from those of previous files. */
  public long[] mark() {
    return counts.clone();
  }

  public Map<String, Long> since(long[] mark) {
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
    if (target != null && onlyCounted > 0) {
      JsonGenerator out = generator(target);
      out.writeStartObject();
      out.writeNumberField("only_counted", onlyCounted);
      out.writeEndObject();
    }
    if (json != null) {
      json.writeRaw('\n');
      json.close();
    }
  }
}
