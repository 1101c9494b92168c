package org.flowmon.jobs.types;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * A serializer of an immutable record of the job: a version byte, then the record's own bytes. As
 * the records are immutable, {@code copy} returns the same reference.
 *
 * <p>A subclass has a public constructor without parameters and a snapshot class of its own (Flink
 * finds both by name).
 */
public abstract class RecordSerializer<T> extends TypeSerializerSingleton<T> {
  private static final long serialVersionUID = 1L;
  private static final int MAX_TEXT = 4 << 20;

  private final int version;

  /**
   * @param version the written version, 1 … 255; {@link #read} is given the version that it reads
   */
  protected RecordSerializer(int version) {
    this.version = version;
  }

  /** Writes the record in the current version, without the version byte. */
  protected abstract void write(T record, DataOutputView target) throws IOException;

  /**
   * Reads a record.
   *
   * @param found the version it was written in: 1 … the current one
   */
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
          getClass().getSimpleName()
              + ": found version "
              + found
              + ", this reads versions 1…"
              + version);
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

  /** Returns null: immutable records have no empty instance. */
  @Override
  public final T createInstance() {
    return null;
  }

  @Override
  public final int getLength() {
    return -1;
  }

  /** Writes a length and the bytes. */
  protected static void writeBytes(byte[] bytes, DataOutputView target) throws IOException {
    target.writeInt(bytes.length);
    target.write(bytes);
  }

  /**
   * Reads the format of {@link #writeBytes}.
   *
   * @param most allowed bytes, so that a damaged length allocates nothing
   */
  protected static byte[] readBytes(DataInputView source, int most) throws IOException {
    int length = source.readInt();
    if (length < 0 || length > most) {
      throw new IOException("found a length of " + length + " bytes, expected 0…" + most);
    }
    byte[] bytes = new byte[length];
    source.readFully(bytes);
    return bytes;
  }

  /** Writes a text of up to 4 MB of UTF-8, or null. */
  public static void writeText(String text, DataOutputView target) throws IOException {
    target.writeBoolean(text != null);
    if (text != null) {
      writeBytes(text.getBytes(StandardCharsets.UTF_8), target);
    }
  }

  /** Reads the format of {@link #writeText}. */
  public static String readText(DataInputView source) throws IOException {
    return source.readBoolean()
        ? new String(readBytes(source, MAX_TEXT), StandardCharsets.UTF_8)
        : null;
  }
}
