package org.flowmon.ingest.file.format;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** An input of flows, as bytes: a file, or a stream that goes on while it is read. */
public interface FlowInput {
  /** For messages and rejects. */
  Path name();

  /** Its first bytes, decompressed, at most {@code most}. */
  byte[] head(int most) throws IOException;

  /**
   * From its beginning, decompressed; of a stream only once, and not before the last {@link #head}.
   *
   * @param bytesRead grows by the bytes before decompression
   */
  InputStream open(AtomicLong bytesRead) throws IOException;

  /** Whether more may come at any time; flows that have come must not wait for it. */
  boolean isLive();

  /** Whether reading begins and ends at any of its lines, so that only lines can be read. */
  boolean isFollowed();

  static FlowInput of(Path file) {
    return new FileInput(file);
  }

  /**
   * As it comes, not compressed. Readers do not close {@code in}: whoever opened it may still ask
   * its source what has been read.
   *
   * @param name for messages
   */
  static FlowInput live(Path name, InputStream in) {
    return new LiveInput(name, in, false);
  }

  /** A log that is followed, as {@link #live}. */
  static FlowInput followed(Path name, InputStream in) {
    return new LiveInput(name, in, true);
  }

  /** A file. */
  record FileInput(Path name) implements FlowInput {
    @Override
    public byte[] head(int most) throws IOException {
      try (InputStream in = GzipInput.open(name)) {
        return in.readNBytes(most);
      }
    }

    @Override
    public InputStream open(AtomicLong bytesRead) throws IOException {
      return GzipInput.open(name, bytesRead);
    }

    @Override
    public boolean isLive() {
      return false;
    }

    @Override
    public boolean isFollowed() {
      return false;
    }
  }

  /** A stream. */
  final class LiveInput implements FlowInput {
    private final Path name;
    private final InputStream in;
    private final boolean isFollowed;
    private byte[] head = {};

    private LiveInput(Path name, InputStream in, boolean isFollowed) {
      this.name = name;
      this.in =
          new FilterInputStream(in) {
            @Override
            public void close() {
              // It is its owner's.
            }
          };
      this.isFollowed = isFollowed;
    }

    @Override
    public Path name() {
      return name;
    }

    /** Waits for the first line that is no comment, or the first message of GoFlow2. */
    @Override
    public byte[] head(int most) throws IOException {
      byte[] some = new byte[1 << 13];
      while (head.length < most && !hasValue(head) && !GoFlowHead.begins(head)) {
        int read = in.read(some, 0, Math.min(some.length, most - head.length));
        if (read < 0) {
          break;
        }
        byte[] longer = Arrays.copyOf(head, head.length + read);
        System.arraycopy(some, 0, longer, head.length, read);
        head = longer;
      }
      return Arrays.copyOf(head, Math.min(head.length, most));
    }

    private static boolean hasValue(byte[] bytes) {
      int line = 0;
      for (int i = 0; i < bytes.length; i++) {
        if (bytes[i] == '\n') {
          if (i > line && bytes[line] != '#') {
            return true;
          }
          line = i + 1;
        }
      }
      return false;
    }

    @Override
    public InputStream open(AtomicLong bytesRead) {
      return new SequenceInputStream(new ByteArrayInputStream(head), in);
    }

    @Override
    public boolean isLive() {
      return true;
    }

    @Override
    public boolean isFollowed() {
      return isFollowed;
    }
  }
}
