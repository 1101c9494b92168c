package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** Files in memory, which tests may damage. */
public class MemoryObjectStore implements ObjectStore {
  /** Called before each operation; may make it fail. */
  public interface Fault {
    void before(String operation, String name) throws IOException;
  }

  private static final class Stored {
    private final byte[] bytes;
    private final long modifiedMillis = System.currentTimeMillis();

    Stored(byte[] bytes) {
      this.bytes = bytes.clone();
    }

    byte[] bytes() {
      return bytes;
    }

    long modifiedMillis() {
      return modifiedMillis;
    }
  }

  private final String url;
  private final Map<String, Stored> files = new ConcurrentSkipListMap<>();

  /** Called before each operation. */
  public volatile Fault fault = (operation, name) -> {};

  public MemoryObjectStore(String url) {
    this.url = url;
  }

  /** Damages a file: changes one of its bytes. */
  public void damage(String name, int at) {
    byte[] bytes = files.get(name).bytes().clone();
    bytes[at]++;
    put(name, bytes);
  }

  /** Names of all files. */
  public List<String> names() {
    return List.copyOf(files.keySet());
  }

  @Override
  public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    fault.before("putIfAbsent", name);
    boolean done = files.putIfAbsent(name, stored(bytes)) == null;
    fault.before("after putIfAbsent", name);
    return done;
  }

  private static Stored stored(byte[] bytes) {
    return new Stored(bytes);
  }

  @Override
  public void put(String name, byte[] bytes) {
    files.put(name, stored(bytes));
  }

  @Override
  public void put(String name, Path file) throws IOException {
    fault.before("put", name);
    put(name, Files.readAllBytes(file));
  }

  @Override
  public byte[] read(String name, long maxBytes) throws IOException {
    fault.before("read", name);
    Stored stored = files.get(name);
    if (stored != null && stored.bytes().length > maxBytes) {
      throw new IOException(describe(name) + " is too large");
    }
    return stored == null ? null : stored.bytes().clone();
  }

  @Override
  public byte[] readRange(String name, long offset, int length) throws IOException {
    fault.before("readRange", name);
    Stored stored = files.get(name);
    if (stored == null) {
      throw new NoSuchFileException(describe(name));
    }
    if (offset + length > stored.bytes().length) {
      throw new IOException(describe(name) + " ends before " + (offset + length));
    }
    return Arrays.copyOfRange(stored.bytes(), (int) offset, (int) offset + length);
  }

  @Override
  public long length(String name) throws IOException {
    fault.before("length", name);
    Stored stored = files.get(name);
    return stored == null ? -1 : stored.bytes().length;
  }

  @Override
  public List<StoredFile> list(String folder) throws IOException {
    fault.before("list", folder);
    List<StoredFile> listed = new ArrayList<>();
    files.forEach(
        (name, stored) -> {
          if (name.startsWith(folder + "/") && name.indexOf('/', folder.length() + 1) < 0) {
            listed.add(new StoredFile(name, stored.bytes().length, stored.modifiedMillis()));
          }
        });
    return listed;
  }

  @Override
  public boolean delete(String name) throws IOException {
    fault.before("delete", name);
    return files.remove(name) != null;
  }

  @Override
  public String describe(String name) {
    return url + "/" + name;
  }

  @Override
  public void close() {
    // Others may have it open.
  }
}
