package org.flowmon.deploy.parquet;

import java.io.IOException;
import java.io.InputStream;
import org.flowmon.archive.segment.format.ThriftStruct;

/**
 * What a Parquet file says in Thrift, by the Parquet library's parsers. Their errors speak of the
 * library's own classes: who reads that a file is damaged is told so in the file's terms, and finds
 * the library's words in the cause.
 */
public final class ParquetThrift {
  private ParquetThrift() {}

  /** One of the library's parsers. */
  @FunctionalInterface
  public interface Parser<T> {
    T parse(InputStream in) throws IOException;
  }

  /**
   * Parses a struct.
   *
   * @param what the struct is and where it lies, for the error
   * @throws IOException saying that it is damaged
   */
  public static <T> T read(byte[] bytes, String what, Parser<T> parser) throws IOException {
    InputStream in;
    try {
      in = ThriftStruct.check(bytes);
    } catch (IOException e) {
      throw new IOException(what + " is damaged: " + e.getMessage(), e);
    }
    try {
      return parser.parse(in);
    } catch (IOException | RuntimeException e) { // the library's checks throw either
      throw new IOException(what + " is damaged: what it must say is missing or cannot be", e);
    }
  }

  /** What is wrong, of an error of this package or, by what it was about, of the library. */
  public static String reason(Exception e, String what) {
    return e instanceof IOException && e.getMessage() != null
        ? e.getMessage()
        : what + " cannot be what it says";
  }
}
