package org.flowmon.udaf.catalogue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * A state with its function call, the form in which states leave flowmon and return: the bytes
 * alone tell how to read it. Version 1; {@code docs/format/states.md} is the specification, this
 * class owns the layout. Immutable.
 *
 * <pre>
 *   0        4         6        8        12       16
 *   +--------+---------+--------+--------+--------+------+-----------+-------+
 *   | "FLWS" | version | 0      | length | crc32c | name | arguments | state |
 *   +--------+---------+--------+--------+--------+------+-----------+-------+
 * </pre>
 */
public final class ExportedState {
  private static final int MAGIC = 'F' | 'L' << 8 | 'W' << 16 | 'S' << 24;
  private static final int VERSION = 1;
  private static final int VERSION_AT = 4;
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 12;
  private static final int HEADER_BYTES = 16;
  private static final int MAX_NAME_BYTES = 64;
  private static final int MAX_ARGUMENTS = 32;
  private static final int MAX_TEXT_BYTES = 1024;
  private static final int NULL = 0;
  private static final int CONSTANT = 0x80;

  private final String name;
  private final List<UdafCall.Argument> arguments;
  private final byte[] state;

  private ExportedState(String name, List<UdafCall.Argument> arguments, byte[] state) {
    this.name = name;
    this.arguments = List.copyOf(arguments);
    this.state = state;
  }

  public static ExportedState of(BoundUdaf function, SuperState state) {
    StateSink sink = new StateSink();
    state.output(sink);
    UdafCall call = function.call();
    return new ExportedState(call.name(), call.arguments(), sink.toBytes());
  }

  public String name() {
    return name;
  }

  /**
   * Binds the state's call.
   *
   * @throws UdafException if the function is unknown or rejects the call
   */
  public BoundUdaf bind(Udafs functions) {
    return functions.bind(name, arguments);
  }

  /** The base64 of its bytes, as in columns of results. */
  public String toText() {
    return Base64.getEncoder().encodeToString(toBytes());
  }

  /**
   * Reads {@link #toText}.
   *
   * @throws StateFormatException if the text is not the base64 of an exported state
   */
  public static ExportedState ofText(String text) {
    try {
      return read(Base64.getDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      throw new StateFormatException("an exported state: no base64: " + e.getMessage());
    }
  }

  /** As {@link SuperState#merge} takes it. */
  public StateReader state() {
    return new StateReader(state, 0, state.length, "a state of " + name);
  }

  public void mergeInto(SuperState target) {
    target.merge(state());
  }

  public byte[] toBytes() {
    StateSink sink = new StateSink();
    sink.putInt(MAGIC);
    sink.putU16(VERSION);
    sink.putU16(0);
    sink.putLong(0); // length and checksum, written last
    putText(name, sink);
    sink.putVarint(arguments.size());
    for (UdafCall.Argument argument : arguments) {
      putArgument(argument, sink);
    }
    sink.putBytes(state, 0, state.length);
    byte[] bytes = sink.toBytes();
    LittleEndian.putInt(bytes, LENGTH_AT, bytes.length);
    LittleEndian.putInt(bytes, CRC_AT, Crc32c.around(bytes, CRC_AT));
    return bytes;
  }

  private static void putText(String text, StateSink sink) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    sink.putVarint(utf8.length);
    sink.putBytes(utf8, 0, utf8.length);
  }

  private static void putArgument(UdafCall.Argument argument, StateSink sink) {
    Value constant = argument.constant();
    if (constant == null) {
      sink.putByte(Objects.requireNonNull(argument.kind(), "a bound argument is typed").code());
      return;
    }
    ValueKind kind = constant.kind();
    sink.putByte(CONSTANT | (kind == null ? NULL : kind.code()));
    if (kind == null) {
      return;
    }
    switch (kind) {
      case TEXT -> putText(constant.text(), sink);
      case ADDRESS -> {
        sink.putLong(constant.high());
        sink.putLong(constant.low());
      }
      default -> sink.putLong(constant.low());
    }
  }

  public static boolean begins(byte[] bytes) {
    return bytes.length >= 4 && LittleEndian.getInt(bytes, 0) == MAGIC;
  }

  /**
   * Reads one or more consecutive states.
   *
   * @throws StateFormatException with the number, from 1, of the invalid state
   */
  public static List<ExportedState> readAll(byte[] bytes) {
    List<ExportedState> all = new ArrayList<>();
    int at = 0;
    do {
      int left = bytes.length - at;
      int length = left < HEADER_BYTES ? left : LittleEndian.getInt(bytes, at + LENGTH_AT);
      int own = length < HEADER_BYTES || length > left ? left : length;
      try {
        all.add(read(Arrays.copyOfRange(bytes, at, at + own)));
      } catch (StateFormatException e) {
        throw new StateFormatException(
            "state " + (all.size() + 1) + ", from byte " + at + ": " + e.getMessage());
      }
      at += own;
    } while (at < bytes.length);
    return all;
  }

  /**
   * Reads and copies untrusted bytes; the state itself is checked when it is merged.
   *
   * @throws StateFormatException if they are not an exported state
   */
  public static ExportedState read(byte[] bytes) {
    StateReader reader = new StateReader(bytes, 0, bytes.length, "an exported state");
    if (bytes.length < HEADER_BYTES || LittleEndian.getInt(bytes, 0) != MAGIC) {
      throw reader.error(
          String.format(
              "expected 'FLWS' and a header of %s bytes, found %s bytes: %s \u2026",
              HEADER_BYTES,
              bytes.length,
              HexFormat.ofDelimiter(" ").formatHex(bytes, 0, Math.min(4, bytes.length))));
    }
    int version = LittleEndian.getU16(bytes, VERSION_AT);
    if (version != VERSION) {
      throw reader.error("version " + version + ", this reads version " + VERSION);
    }
    int length = LittleEndian.getInt(bytes, LENGTH_AT);
    if (length != bytes.length) {
      throw reader.error("says it has " + length + " bytes, found " + bytes.length);
    }
    if (LittleEndian.getInt(bytes, CRC_AT) != Crc32c.around(bytes, CRC_AT)) {
      throw reader.error("the checksum does not match: the bytes are damaged");
    }
    reader.skip(HEADER_BYTES);
    String name = getText(reader, "bytes of the name", MAX_NAME_BYTES);
    int count = reader.count("arguments", MAX_ARGUMENTS, 1);
    List<UdafCall.Argument> arguments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      arguments.add(getArgument(reader));
    }
    int at = reader.position();
    return new ExportedState(name, arguments, Arrays.copyOfRange(bytes, at, bytes.length));
  }

  private static String getText(StateReader reader, String what, int most) {
    int length = reader.count(what, most, 1);
    return new String(reader.array(), reader.skip(length), length, StandardCharsets.UTF_8);
  }

  private static UdafCall.Argument getArgument(StateReader reader) {
    int code = reader.getByte();
    if (code == (CONSTANT | NULL)) {
      return UdafCall.Argument.of(Value.NULL);
    }
    ValueKind kind = ValueKind.byCode(code & ~CONSTANT);
    if (kind == null) {
      throw reader.error("an argument of the unknown kind " + code);
    }
    if (code < CONSTANT) {
      return UdafCall.Argument.ofRows(kind);
    }
    return UdafCall.Argument.of(
        switch (kind) {
          case TEXT -> Value.ofText(getText(reader, "bytes of a text", MAX_TEXT_BYTES));
          case ADDRESS -> Value.ofAddress(reader.getLong(), reader.getLong());
          default -> Value.of(kind, reader.getLong());
        });
  }
}
