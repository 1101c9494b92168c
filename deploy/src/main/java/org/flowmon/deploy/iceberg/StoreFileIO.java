package org.flowmon.deploy.iceberg;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;
import org.flowmon.archive.store.ArchiveStore;

/**
 * Iceberg's way to the files of a store: metadata, which is read and written whole. Locations are
 * absolute paths or URLs.
 */
final class StoreFileIO implements FileIO {
  private static final long serialVersionUID = 1;
  private static final long MAX_BYTES = 1L << 30;

  private final transient ArchiveStore store; // nobody serializes this
  private final String root;

  StoreFileIO(ArchiveStore store) {
    this.store = store;
    String some = "x";
    String place = store.describe(some);
    this.root = place.substring(0, place.length() - some.length());
  }

  /** The name in the store of a file at a location. */
  private String name(String location) {
    if (!location.startsWith(root)) {
      throw new IllegalArgumentException(location + " is not below " + root);
    }
    return location.substring(root.length());
  }

  @Override
  public InputFile newInputFile(String location) {
    return new StoredInput(location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new StoredOutput(location);
  }

  @Override
  public void deleteFile(String location) {
    try {
      store.delete(name(location));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private final class StoredInput implements InputFile {
    private final String location;

    StoredInput(String location) {
      this.location = location;
    }

    @Override
    public long getLength() {
      try {
        return store.length(name(location));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public SeekableInputStream newStream() {
      try {
        byte[] bytes = store.read(name(location), MAX_BYTES);
        if (bytes == null) {
          throw new NotFoundException("%s does not exist", location);
        }
        return new Bytes(bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public String location() {
      return location;
    }

    @Override
    public boolean exists() {
      return getLength() >= 0;
    }
  }

  private static final class Bytes extends SeekableInputStream {
    private final byte[] bytes;
    private int at;

    Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public long getPos() {
      return at;
    }

    @Override
    public void seek(long position) {
      at = Objects.checkIndex((int) position, bytes.length + 1);
    }

    @Override
    public int read() {
      return at < bytes.length ? bytes[at++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      int n = Math.min(length, bytes.length - at);
      if (n <= 0) {
        return length == 0 ? 0 : -1;
      }
      System.arraycopy(bytes, at, target, offset, n);
      at += n;
      return n;
    }
  }

  private final class StoredOutput implements OutputFile {
    private final String location;

    StoredOutput(String location) {
      this.location = location;
    }

    @Override
    public PositionOutputStream create() {
      return new Buffered(location, false);
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return new Buffered(location, true);
    }

    @Override
    public String location() {
      return location;
    }

    @Override
    public InputFile toInputFile() {
      return newInputFile(location);
    }
  }

  /** Puts the file into the store when it is closed. */
  private final class Buffered extends PositionOutputStream {
    private final String location;
    private final boolean overwrite;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean closed;

    Buffered(String location, boolean overwrite) {
      this.location = location;
      this.overwrite = overwrite;
    }

    @Override
    public long getPos() {
      return bytes.size();
    }

    @Override
    public void write(int value) {
      bytes.write(value);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      bytes.write(source, offset, length);
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      if (!store.putIfAbsent(name(location), bytes.toByteArray())) {
        if (!overwrite) {
          throw new AlreadyExistsException("%s exists", location);
        }
        store.replace(name(location), bytes.toByteArray());
      }
    }
  }
}
