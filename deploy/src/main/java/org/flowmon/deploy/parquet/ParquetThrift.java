package org.flowmon.deploy.parquet;

import java.io.IOException;
import java.io.InputStream;
import org.flowmon.archive.segment.format.ThriftStruct;

/**
 * Parses the Thrift structs of a Parquet file by the Parquet library. The library's errors name its
 * own classes. They become errors in the file's terms, with the library's error as cause.
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
   * @param what the struct and its place, for the error
   * @throws IOException if it is damaged
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

  /**
   * The reason of an error: the message of this package, or for the library's errors {@code what}
   * is damaged.
   */
  public static String reason(Exception e, String what) {
    return e instanceof IOException && e.getMessage() != null
        ? e.getMessage()
        : what + " cannot be what it says";
  }
}
