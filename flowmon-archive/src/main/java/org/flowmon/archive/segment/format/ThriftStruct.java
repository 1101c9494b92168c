package org.flowmon.archive.segment.format;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Checks one struct of Thrift's compact protocol, the format of Parquet's headers and footers,
 * before the library decodes it. The library follows unknown nested structs and lists until its
 * thread's stack overflows, and allocates a text's memory before it knows that the text is
 * complete. Checks that every value is complete and nothing is nested deeper than {@link
 * #MAX_DEPTH}. Allocates at most twice the present bytes.
 */
public final class ThriftStruct {
  /** Parquet's own structs are nested less than ten deep. */
  public static final int MAX_DEPTH = 32;

  private static final int TYPE_MASK = 0x0F;

  private final InputStream in;
  private final int most;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(128);

  private ThriftStruct(InputStream in, int most) {
    this.in = in;
    this.most = most;
  }

  /**
   * Reads exactly one struct of at most {@code most} bytes. Throws naming the byte of the struct at
   * which it ends too early, is nested too deep or has a value of no type.
   */
  public static byte[] read(InputStream in, int most) throws IOException {
    ThriftStruct struct = new ThriftStruct(in, most);
    struct.readStruct(0);
    return struct.out.toByteArray();
  }

  /** Checks the struct at the beginning of bytes, returns a stream; throws as {@link #read}. */
  public static InputStream check(byte[] bytes) throws IOException {
    return new ByteArrayInputStream(read(new ByteArrayInputStream(bytes), bytes.length));
  }

  /** One of the Parquet library's parsers. */
  @FunctionalInterface
  public interface Parser<T> {
    T parse(InputStream in) throws IOException;
  }

  /**
   * Checks and decodes the struct at the beginning of some bytes. The library's errors name its own
   * classes: they become causes of errors in the file's terms, with {@code what}, the struct and
   * place.
   */
  public static <T> T parse(byte[] bytes, String what, Parser<T> parser) throws IOException {
    InputStream in;
    try {
      in = check(bytes);
    } catch (IOException e) {
      throw new IOException(what + " is damaged: " + e.getMessage(), e);
    }
    try {
      return parser.parse(in);
    } catch (IOException | RuntimeException e) { // the library's checks throw either
      throw new IOException(what + " is damaged: a required field is missing or invalid", e);
    }
  }

  private int at() {
    return out.size();
  }

  private IOException wrong(String what) {
    return new IOException("byte " + at() + " of its Thrift: " + what);
  }

  private int next() throws IOException {
    if (at() >= most) {
      throw wrong("it has more than the " + most + " bytes that it may have");
    }
    int b = in.read();
    if (b < 0) {
      throw wrong("it ends within a struct");
    }
    out.write(b);
    return b;
  }

  private long varint() throws IOException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int b = next();
      value |= (b & 0x7FL) << shift;
      if (b < 0x80) {
        return value;
      }
    }
    throw wrong("a number of more than ten bytes");
  }

  private void pass(long bytes) throws IOException {
    if (bytes < 0 || bytes > most - at()) {
      throw wrong("a value of " + bytes + " bytes, of which " + (most - at()) + " can be there");
    }
    byte[] part = new byte[(int) Math.min(bytes, 1 << 13)];
    for (long left = bytes; left > 0; ) {
      int n = in.read(part, 0, (int) Math.min(left, part.length));
      if (n < 0) {
        throw wrong("a value of " + bytes + " bytes lacks the last " + left);
      }
      out.write(part, 0, n);
      left -= n;
    }
  }

  private void readStruct(int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw wrong("structs or lists nested deeper than " + MAX_DEPTH);
    }
    for (int header = next(); header != 0; header = next()) {
      if (header >>> 4 == 0) {
        varint(); // the field's number; without it, the previous one plus a difference
      }
      int type = header & TYPE_MASK;
      if (type > 2) { // booleans are in the header
        readValue(type, depth);
      }
    }
  }

  private void readValue(int type, int depth) throws IOException {
    switch (type) {
      case 1, 2, 3 -> next(); // a boolean of a list, a byte
      case 4, 5, 6 -> varint();
      case 7 -> pass(8);
      case 8 -> pass(varint());
      case 9, 10 -> readList(depth + 1);
      case 11 -> readMap(depth + 1);
      case 12 -> readStruct(depth + 1);
      case 13 -> pass(16);
      default -> throw wrong("a value of type " + type);
    }
  }

  private void readList(int depth) throws IOException {
    int header = next();
    long size = header >>> 4 == 15 ? varint() : header >>> 4;
    readElements(size, header & TYPE_MASK, -1, depth);
  }

  private void readMap(int depth) throws IOException {
    long size = varint();
    if (size != 0) {
      int types = next();
      readElements(size, types >>> 4, types & TYPE_MASK, depth);
    }
  }

  private void readElements(long size, int type, int valueType, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw wrong("structs or lists nested deeper than " + MAX_DEPTH);
    }
    if (size < 0 || size > most - at()) { // each takes at least a byte
      throw wrong("a list of " + size + ", of which " + (most - at()) + " bytes can be there");
    }
    for (long i = 0; i < size; i++) {
      readValue(type, depth);
      if (valueType >= 0) {
        readValue(valueType, depth);
      }
    }
  }
}
