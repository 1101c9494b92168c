package org.flowmon.jobs.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.ObjectStore;
import org.flowmon.archive.store.StoredFile;
import org.jspecify.annotations.Nullable;

/**
 * Files below a folder of one of Flink's file systems, written under a temporary name and renamed,
 * so that they appear whole. The first of a name wins if renaming never replaces: so in HDFS, not
 * in Flink's local file system and object stores, which the probe of {@link
 * org.flowmon.archive.store.RemoteArchiveStore} detects. No call syncs a folder: durability is the
 * file system's when a file is closed and renamed.
 */
final class FlinkObjectStore implements ObjectStore {
  private final FileSystem files;
  private final String url; // ends with a slash

  FlinkObjectStore(FileSystem files, URI address) {
    this.files = files;
    this.url = address.toString().replaceAll("/+$", "") + "/";
  }

  private Path path(String name) {
    return new Path(url + name);
  }

  @Override
  public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    // A check first would hide a rename that replaces from the probe, until two meet.
    Path temporary = temporary(name);
    try {
      try (OutputStream out = files.create(temporary, FileSystem.WriteMode.NO_OVERWRITE)) {
        out.write(bytes);
      }
      return rename(temporary, name);
    } finally {
      files.delete(temporary, false);
    }
  }

  private boolean rename(Path temporary, String name) throws IOException {
    try {
      return files.rename(temporary, path(name));
    } catch (IOException e) {
      if (length(name) >= 0) {
        return false; // some refuse by an exception
      }
      throw e;
    }
  }

  private Path temporary(String name) throws IOException {
    Path folder = path(name).getParent();
    files.mkdirs(folder);
    return new Path(folder, ArchiveStore.TEMPORARY_PREFIX + UUID.randomUUID());
  }

  @Override
  public void put(String name, byte[] bytes) throws IOException {
    replace(name, out -> out.write(bytes));
  }

  @Override
  public void put(String name, java.nio.file.Path file) throws IOException {
    replace(name, out -> Files.copy(file, out));
  }

  /** Writes a file. */
  private interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  private void replace(String name, Content content) throws IOException {
    Path temporary = temporary(name);
    try (OutputStream out = files.create(temporary, FileSystem.WriteMode.NO_OVERWRITE)) {
      content.writeTo(out);
    }
    try {
      if (rename(temporary, name)) {
        return;
      }
      // Between the calls there is no file: only a hint is ever replaced.
      files.delete(path(name), false);
      if (!rename(temporary, name)) {
        throw new IOException("could not write " + describe(name));
      }
    } finally {
      files.delete(temporary, false);
    }
  }

  @Override
  public byte @Nullable [] read(String name, long maxBytes) throws IOException {
    long length = length(name);
    if (length < 0) {
      return null;
    }
    if (length > Math.min(maxBytes, Integer.MAX_VALUE - 8)) {
      throw new IOException(
          describe(name) + " has " + length + " bytes, expected at most " + maxBytes);
    }
    try {
      return readRange(name, 0, (int) length);
    } catch (NoSuchFileException e) {
      return null; // deleted meanwhile
    }
  }

  @Override
  public byte[] readRange(String name, long offset, int length) throws IOException {
    try (FSDataInputStream in = files.open(path(name))) {
      in.seek(offset);
      byte[] bytes = ((InputStream) in).readNBytes(length);
      if (bytes.length != length) {
        throw new IOException(
            "%s ends at %s, expected %s bytes from %s"
                .formatted(describe(name), offset + bytes.length, length, offset));
      }
      return bytes;
    } catch (FileNotFoundException e) {
      NoSuchFileException missing = new NoSuchFileException(describe(name));
      missing.initCause(e);
      throw missing;
    }
  }

  @Override
  public long length(String name) throws IOException {
    try {
      return files.getFileStatus(path(name)).getLen();
    } catch (FileNotFoundException e) {
      return -1;
    }
  }

  @Override
  public List<StoredFile> list(String folder) throws IOException {
    FileStatus[] all;
    try {
      all = files.listStatus(path(folder));
    } catch (FileNotFoundException e) {
      return List.of();
    }
    List<StoredFile> listed = new ArrayList<>();
    for (FileStatus file : all == null ? new FileStatus[0] : all) {
      if (!file.isDir()) {
        listed.add(
            new StoredFile(
                folder + "/" + file.getPath().getName(),
                file.getLen(),
                file.getModificationTime()));
      }
    }
    listed.sort(Comparator.comparing(StoredFile::name));
    return listed;
  }

  @Override
  public boolean delete(String name) throws IOException {
    return files.delete(path(name), false);
  }

  @Override
  public String describe(String name) {
    return url + name;
  }

  @Override
  public void close() {
    // Flink shares its file systems.
  }
}
