package org.flowmon.jobs.types;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.util.InstantiationUtil;
import org.jspecify.annotations.Nullable;

/**
 * A serializer of an immutable record: a version byte, then its own bytes. {@code copy} returns the
 * same reference. A subclass has a public constructor without parameters and a snapshot class of
 * its own (Flink finds both by name).
 */
public abstract class RecordSerializer<T> extends TypeSerializerSingleton<T> {
  private static final long serialVersionUID = 1L;
  private static final int MAX_TEXT = 1 << 24;
  // writeUTF holds 65,535 bytes; a character takes up to three.
  private static final int MAX_MESSAGE = 4000;

  private final int version;
  private final Class<? extends TypeSerializerSnapshot<T>> snapshot;

  /** The written version, 1 … 255, and the snapshot class, whose name savepoints hold. */
  protected RecordSerializer(int version, Class<? extends TypeSerializerSnapshot<T>> snapshot) {
    this.version = version;
    this.snapshot = snapshot;
  }

  /** In the current version, without the version byte. */
  protected abstract void write(T record, DataOutputView target) throws IOException;

  /** {@code found}: the version it was written in, 1 … the current one. */
  protected abstract T read(int found, DataInputView source) throws IOException;

  @Override
  public final void serialize(T record, DataOutputView target) throws IOException {
    target.writeByte(version);
    write(record, target);
  }

  @Override
  public final T deserialize(DataInputView source) throws IOException {
    int found = source.readUnsignedByte();
    if (found == 0 || found > version) {
      throw new IOException(
          "%s: found version %s, this reads versions 1…%s"
              .formatted(getClass().getSimpleName(), found, version));
    }
    return read(found, source);
  }

  @Override
  public final T deserialize(T reuse, DataInputView source) throws IOException {
    return deserialize(source);
  }

  @Override
  public final void copy(DataInputView source, DataOutputView target) throws IOException {
    serialize(deserialize(source), target);
  }

  @Override
  public final T copy(T from) {
    return from;
  }

  @Override
  public final T copy(T from, T reuse) {
    return from;
  }

  @Override
  public final boolean isImmutableType() {
    return true;
  }

  /** Null: immutable records have no empty instance. */
  @Override
  public final @Nullable T createInstance() {
    return null;
  }

  @Override
  public final TypeSerializerSnapshot<T> snapshotConfiguration() {
    return InstantiationUtil.instantiate(snapshot);
  }

  @Override
  public final int getLength() {
    return -1;
  }

  protected static void writeBytes(byte[] bytes, DataOutputView target) throws IOException {
    target.writeInt(bytes.length);
    target.write(bytes);
  }

  /** {@code most} allowed bytes, so that a damaged length allocates nothing. */
  protected static byte[] readBytes(DataInputView source, int most) throws IOException {
    int length = source.readInt();
    if (length < 0 || length > most) {
      throw new IOException("found a length of " + length + " bytes, expected 0…" + most);
    }
    byte[] bytes = new byte[length];
    source.readFully(bytes);
    return bytes;
  }

  /** A text of up to 16 MiB of UTF-8. */
  public static void writeString(String text, DataOutputView target) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MAX_TEXT) { // it could not be read again
      throw new IOException(
          "a text of " + bytes.length + " bytes, more than " + MAX_TEXT + ", cannot be written");
    }
    writeBytes(bytes, target);
  }

  public static String readString(DataInputView source) throws IOException {
    return new String(readBytes(source, MAX_TEXT), StandardCharsets.UTF_8);
  }

  /** Whether there is a text, and the text as {@link #writeString}. */
  public static void writeText(@Nullable String text, DataOutputView target) throws IOException {
    target.writeBoolean(text != null);
    if (text != null) {
      writeString(text, target);
    }
  }

  public static @Nullable String readText(DataInputView source) throws IOException {
    return source.readBoolean() ? readString(source) : null;
  }

  /** Reads a text of {@link #writeText} that is never missing; {@code what} names it. */
  protected static String readPresentText(DataInputView source, String what) throws IOException {
    String text = readText(source);
    if (text == null) {
      throw new IOException(what + " is missing");
    }
    return text;
  }

  /** Whether there is a message for people, and its beginning in modified UTF-8. */
  protected static void writeMessage(@Nullable String message, DataOutputView target)
      throws IOException {
    target.writeBoolean(message != null);
    if (message != null) {
      target.writeUTF(message.substring(0, Math.min(message.length(), MAX_MESSAGE)));
    }
  }

  protected static @Nullable String readMessage(DataInputView source) throws IOException {
    return source.readBoolean() ? source.readUTF() : null;
  }
}
