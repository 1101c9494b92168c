package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.flow.files.SyncedFolders;
import org.jspecify.annotations.Nullable;

/** A store below a local directory. */
public final class LocalArchiveStore implements ArchiveStore {
  /** Name of the lock file if the file system has no hard links. */
  static final String LOCK = ".lock";

  // A FileLock belongs to a whole process: its threads wait here.
  private static final Object IN_PROCESS = new Object();

  private final Path root;
  private final boolean useLinks;
  private final Consumer<String> afterStep;
  // Folders with durable names. Others may be of a process that was killed before it synced them.
  private final Set<Path> lasting = ConcurrentHashMap.newKeySet();

  public LocalArchiveStore(Path root) {
    this(root, true, step -> {});
  }

  /** A store for tests. {@code afterStep} is called after each step that a crash could follow. */
  LocalArchiveStore(Path root, boolean useLinks, Consumer<String> afterStep) {
    this.root = root;
    this.useLinks = useLinks;
    this.afterStep = afterStep;
  }

  private Path path(String name) {
    return root.resolve(name);
  }

  @Override
  public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    Path file = path(name);
    if (exists(name)) {
      return false;
    }
    Path folder = HeldFolder.folder(file);
    SyncedFolders.create(folder);
    makeNameLast(folder);
    Path temporary = writeTemporary(folder, bytes);
    boolean done;
    try {
      done = useLinks ? link(temporary, file) : renameUnderLock(temporary, file);
    } finally {
      Files.deleteIfExists(temporary);
    }
    afterStep.accept("temporary file deleted");
    SyncedFolders.sync(folder);
    afterStep.accept("folder synced");
    return done;
  }

  private Path writeTemporary(Path folder, byte[] bytes) throws IOException {
    Path temporary = folder.resolve(TEMPORARY_PREFIX + UUID.randomUUID());
    try (FileChannel channel =
        FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      afterStep.accept("temporary file made");
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      afterStep.accept("temporary file written");
      channel.force(true);
    } catch (IOException e) {
      Files.deleteIfExists(temporary);
      throw e;
    }
    return temporary;
  }

  private boolean link(Path temporary, Path file) throws IOException {
    try {
      Files.createLink(file, temporary);
      afterStep.accept("linked");
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (UnsupportedOperationException | FileSystemException e) {
      // The file system has no links, or forbids them; other errors show in the rename.
      return renameUnderLock(temporary, file);
    }
  }

  private boolean renameUnderLock(Path temporary, Path file) throws IOException {
    synchronized (IN_PROCESS) {
      try (FileChannel channel =
              FileChannel.open(
                  file.resolveSibling(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        if (!lock.isValid() || Files.exists(file)) {
          return false;
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        afterStep.accept("renamed");
        return true;
      }
    }
  }

  @Override
  public void settle(String folder) throws IOException {
    SyncedFolders.sync(path(folder));
    makeNameLast(path(folder));
  }

  /** Syncs the parents of an existing folder, once, since each is a name in the next. */
  private void makeNameLast(Path folder) throws IOException {
    Path parent = folder.toAbsolutePath().getParent();
    if (parent == null || lasting.contains(folder)) {
      return;
    }
    try {
      SyncedFolders.sync(parent);
    } catch (IOException e) {
      if (parent.startsWith(root.toAbsolutePath())) {
        throw e;
      }
      // Folders above the archive belong to others and may be unreadable.
    }
    makeNameLast(parent);
    lasting.add(folder);
  }

  @Override
  public void replace(String name, byte[] bytes) throws IOException {
    Path file = path(name);
    Path temporary = writeTemporary(HeldFolder.folder(file), bytes);
    try {
      Files.move(
          temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(temporary);
    }
    afterStep.accept("replaced");
  }

  @Override
  public byte @Nullable [] read(String name, long maxBytes) throws IOException {
    if (!exists(name)) {
      return null;
    }
    try (FileChannel channel = FileChannel.open(path(name), StandardOpenOption.READ)) {
      long size = channel.size();
      if (size > Math.min(maxBytes, Integer.MAX_VALUE - 8)) {
        throw new IOException(
            describe(name) + " has " + size + " bytes, expected at most " + maxBytes);
      }
      return read(channel, 0, (int) size, name);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public byte[] readRange(String name, long offset, int length) throws IOException {
    try (FileChannel channel = FileChannel.open(path(name), StandardOpenOption.READ)) {
      return read(channel, offset, length, name);
    }
  }

  private byte[] read(FileChannel channel, long offset, int length, String name)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, offset + buffer.position()) < 0) {
        throw new IOException(describe(name) + " was cut while it was read; retry");
      }
    }
    return buffer.array();
  }

  @Override
  public boolean exists(String name) {
    // Unlike Files.exists this makes no exception, which would be most of the cost of a refresh.
    return path(name).toFile().exists();
  }

  @Override
  public long length(String name) throws IOException {
    try {
      return Files.size(path(name));
    } catch (NoSuchFileException e) {
      return -1;
    }
  }

  @Override
  public List<StoredFile> list(String folder) throws IOException {
    List<StoredFile> files = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(path(folder))) {
      for (Path file : stream) {
        addIfThere(files, folder, file);
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    }
    files.sort(Comparator.comparing(StoredFile::name));
    return files;
  }

  /** A file may be deleted after it was listed. */
  private static void addIfThere(List<StoredFile> files, String folder, Path file)
      throws IOException {
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(file, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return;
    }
    if (attributes.isRegularFile()) {
      files.add(
          new StoredFile(
              folder + "/" + file.getFileName(),
              attributes.size(),
              attributes.lastModifiedTime().toMillis()));
    }
  }

  @Override
  public boolean delete(String name) throws IOException {
    return Files.deleteIfExists(path(name));
  }

  @Override
  public Path writeFolder(String folder) {
    return path(folder);
  }

  @Override
  public void publish(String name) {
    // Its writer has named it and synced file and folder.
  }

  @Override
  public HeldFolder hold(String name, FileIdentity identity) {
    return HeldFolder.of(path(name), () -> {});
  }

  @Override
  public HeldFolder asStored(List<String> names) {
    return HeldFolder.of(path(names.get(0)), () -> {});
  }

  @Override
  public Path hostFolder() {
    return root;
  }

  @Override
  public Duration grace() {
    return Duration.ZERO;
  }

  @Override
  public void requireCommits() {
    // Links and renames under a lock never replace a file.
  }

  @Override
  public void onLackOfRoom(BooleanSupplier letGo) {
    // There is nothing to make room for.
  }

  @Override
  public void onIdle() {
    // Idle files take no room.
  }

  @Override
  public FetchCounts fetched() {
    return FetchCounts.NONE;
  }

  @Override
  public String describe(String name) {
    return path(name).toString();
  }

  @Override
  public void close() {
    // Nothing is kept open.
  }
}
