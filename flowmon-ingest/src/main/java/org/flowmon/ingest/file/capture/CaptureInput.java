package org.flowmon.ingest.file.capture;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** The bytes of a file, plain or compressed by gzip, with the current place for messages. */
final class CaptureInput implements Closeable {
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final InputStream in;
  private long position;

  private CaptureInput(Path file, InputStream in) {
    this.file = file;
    this.in = in;
  }

  static CaptureInput open(Path file) throws IOException {
    InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER);
    try {
      raw.mark(2);
      boolean gzip = raw.read() == 0x1F && raw.read() == 0x8B;
      raw.reset();
      return new CaptureInput(
          file, gzip ? new BufferedInputStream(new GZIPInputStream(raw, BUFFER), BUFFER) : raw);
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  /** Returns how many bytes remained, at most {@code length}. */
  int read(byte[] to, int at, int length) throws IOException {
    int read = in.readNBytes(to, at, length);
    position += read;
    return read;
  }

  void skip(long length) throws IOException {
    long left = length;
    byte[] waste = new byte[(int) Math.min(BUFFER, Math.max(length, 1))];
    while (left > 0) {
      int read = in.read(waste, 0, (int) Math.min(waste.length, left));
      if (read < 0) {
        return;
      }
      left -= read;
      position += read;
    }
  }

  IOException bad(String what) {
    return new IOException(file + ", byte " + position + ": " + what);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
