package org.flowmon.ingest.file.format;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;

/** Opens a file and decompresses it if it begins like gzip. */
public final class GzipInput {
  private static final int BUFFER = 1 << 16;

  private GzipInput() {}

  public static InputStream open(Path file) throws IOException {
    return open(file, new AtomicLong());
  }

  static boolean isGzip(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return isGzip(in);
    }
  }

  private static boolean isGzip(InputStream in) throws IOException {
    return in.read() == 0x1F && in.read() == 0x8B;
  }

  /** {@code bytesRead} grows by the file's bytes as they are read. */
  public static InputStream open(Path file, AtomicLong bytesRead) throws IOException {
    InputStream raw =
        new BufferedInputStream(new Counted(Files.newInputStream(file), bytesRead), BUFFER);
    try {
      raw.mark(2);
      boolean gzip = isGzip(raw);
      raw.reset();
      return gzip ? new GZIPInputStream(raw, BUFFER) : raw;
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  private static final class Counted extends FilterInputStream {
    private final AtomicLong bytes;

    Counted(InputStream in, AtomicLong bytes) {
      super(in);
      this.bytes = bytes;
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      bytes.addAndGet(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] to, int at, int length) throws IOException {
      int read = super.read(to, at, length);
      bytes.addAndGet(Math.max(0, read));
      return read;
    }
  }
}
