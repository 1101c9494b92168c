package org.flowmon.archive.store;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.flow.bytes.Crc32c;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bounded cache of whole files of an object store on this host's disk. The file used longest ago
 * is evicted first; a file held by this process stays. Length and CRC32C of a file are checked
 * whenever its holding begins; if wrong, it is fetched again.
 *
 * <p>Whole files, because a query maps them, reads their parts in an unpredictable order, and has
 * opened most of its segments before. Fetched in ranges, so that a broken connection costs one of
 * them.
 *
 * <p>Processes of one host may share the folder. A file that another used within the last minute
 * stays; one deleted while mapped can still be read. So the bound is for files that nobody holds;
 * held ones come on top. The folder is listed once a minute at most: until then others' files are
 * unknown here. The cache is on disk and shared, so no cache of objects in one heap can decide what
 * to evict.
 */
final class FileCache {
  private static final Logger LOG = LoggerFactory.getLogger(FileCache.class);
  private static final int RANGE_BYTES = 8 << 20;
  private static final int ATTEMPTS = 2;
  private static final Duration OF_OTHERS = Duration.ofMinutes(1);
  private static final long SCAN_AGAIN_NANOS = Duration.ofMinutes(1).toNanos();
  private static final Duration LEFT_OVER = Duration.ofDays(1);

  private final ObjectStore store;
  private final Path root;
  private final long maxBytes;
  private final Map<String, Entry> entries = new HashMap<>();
  // By name; guarded by entries.
  private final Map<String, CachedFile> cached = new HashMap<>();
  private long cachedBytes;
  private long coming; // bytes being fetched
  private int scans;
  private long scannedNanos;
  private volatile boolean isBeyond;
  private volatile BooleanSupplier letGo = () -> false;
  private final AtomicLong fetches = new AtomicLong();
  private final AtomicLong fetchedBytes = new AtomicLong();
  private final AtomicLong hits = new AtomicLong();
  private final AtomicLong damaged = new AtomicLong();
  private final AtomicLong evicted = new AtomicLong();

  /** The state of a file in this process; guarded by the cache, except {@code lastUse}. */
  private static final class Entry {
    private int holders;
    private FileTime lastUse = FileTime.fromMillis(0);
  }

  /** A file of the cache on disk. */
  private record CachedFile(Path path, long bytes, FileTime lastUse) {}

  FileCache(ObjectStore store, Path root, long maxBytes) {
    this.store = store;
    this.root = root;
    this.maxBytes = maxBytes;
  }

  FetchCounts counts() {
    return new FetchCounts(
        fetches.get(), fetchedBytes.get(), hits.get(), damaged.get(), evicted.get());
  }

  HeldFolder hold(String name, FileIdentity identity) throws IOException {
    Entry entry;
    synchronized (entries) {
      entry = entries.computeIfAbsent(name, key -> new Entry());
      entry.holders++;
    }
    boolean done = false;
    try {
      // Locked for the one fetch of a file; other files do not wait for it.
      synchronized (entry) {
        Path file = root.resolve(name);
        if (touch(entry, file) && isWhatWasSealed(file, identity)) {
          hits.incrementAndGet();
        } else {
          bring(name, identity, file);
          touch(entry, file);
        }
        note(name, look(file));
        done = true;
        return HeldFolder.of(file, () -> release(entry));
      }
    } finally {
      if (!done) {
        release(entry);
      }
    }
  }

  private void release(Entry entry) {
    synchronized (entries) {
      entry.holders--;
    }
  }

  /** Marks a file as used, before it is checked; false if it does not exist. */
  private static boolean touch(Entry entry, Path file) throws IOException {
    try {
      Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis()));
      entry.lastUse = Files.getLastModifiedTime(file);
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private boolean isWhatWasSealed(Path file, FileIdentity identity) throws IOException {
    try {
      if (Files.size(file) == identity.length() && Crc32c.of(file) == identity.crc32c()) {
        return true;
      }
      damaged.incrementAndGet();
    } catch (NoSuchFileException e) {
      // Another process removed it.
    }
    return false;
  }

  private void bring(String name, FileIdentity identity, Path file) throws IOException {
    expect(identity.length());
    try {
      makeRoom();
      bringInto(name, identity, file);
      note(name, look(file)); // noted before it is no longer expected
    } finally {
      expect(-identity.length());
    }
  }

  private void expect(long bytes) {
    synchronized (entries) {
      coming += bytes;
    }
  }

  private void bringInto(String name, FileIdentity identity, Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Path temporary = file.resolveSibling(ArchiveStore.TEMPORARY_PREFIX + UUID.randomUUID());
    try {
      for (int attempt = 1; ; attempt++) {
        int crc = fetch(name, identity.length(), temporary);
        if (crc == identity.crc32c()) {
          break;
        }
        if (attempt == ATTEMPTS) {
          throw new SegmentCorruptException(
              store.describe(name),
              "file",
              String.format(
                  "its %d bytes have the CRC32C %08x, sealed was %08x",
                  identity.length(), crc, identity.crc32c()),
              null);
        }
      }
      Files.move(
          temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  /** Writes a file's bytes into a local one, and returns their CRC32C. */
  private int fetch(String name, long length, Path target) throws IOException {
    Crc32c crc = new Crc32c();
    try (OutputStream out = Files.newOutputStream(target)) {
      for (long offset = 0; offset < length; offset += RANGE_BYTES) {
        int count = (int) Math.min(RANGE_BYTES, length - offset);
        byte[] bytes = store.readRange(name, offset, count);
        fetches.incrementAndGet();
        fetchedBytes.addAndGet(count);
        crc.update(bytes, 0, bytes.length);
        out.write(bytes);
      }
    }
    return crc.value();
  }

  /** Copies a whole file into a local one, unchecked; false if there is none. */
  boolean copy(String name, Path target) throws IOException {
    long length = store.length(name);
    if (length < 0) {
      return false;
    }
    try {
      fetch(name, length, target);
      return true;
    } catch (NoSuchFileException e) {
      Files.deleteIfExists(target);
      return false;
    }
  }

  void adopt(String name, Path written) throws IOException {
    long bytes = Files.size(written);
    expect(bytes);
    try {
      makeRoom();
      Path file = root.resolve(name);
      Files.createDirectories(file.getParent());
      Files.move(
          written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      Entry entry;
      synchronized (entries) {
        entry = entries.computeIfAbsent(name, key -> new Entry());
      }
      synchronized (entry) {
        touch(entry, file);
      }
      note(name, look(file));
    } finally {
      expect(-bytes);
    }
  }

  /** Removes a file in any state; a process that has it mapped can still read it. */
  void remove(String name) throws IOException {
    Files.deleteIfExists(root.resolve(name));
    note(name, null);
    synchronized (entries) {
      entries.computeIfPresent(name, (key, entry) -> entry.holders == 0 ? null : entry);
    }
  }

  void onLackOfRoom(BooleanSupplier letGo) {
    this.letGo = letGo;
  }

  /** Returns within the bound if files in use had exceeded it. */
  void onIdle() {
    if (isBeyond) {
      try {
        makeRoom();
      } catch (IOException e) {
        LOG.warn("{} is larger than its bound until the next file is fetched", root, e);
      }
    }
  }

  private void makeRoom() throws IOException {
    // Held but unused files are released only if nothing else is left.
    do {
      if (hasRoom()) {
        isBeyond = false;
        return;
      }
    } while (letGo.getAsBoolean());
    isBeyond = true;
  }

  private boolean hasRoom() throws IOException {
    synchronized (entries) {
      if (scans == 0 || System.nanoTime() - scannedNanos > SCAN_AGAIN_NANOS) {
        scan();
      }
      if (cachedBytes + coming <= maxBytes) {
        return true;
      }
      List<CachedFile> files = new ArrayList<>(cached.values());
      files.sort(Comparator.comparing(CachedFile::lastUse)); // used longest ago first
      for (CachedFile file : files) {
        if (mayGo(file)) {
          evict(file);
          if (cachedBytes + coming <= maxBytes) {
            return true;
          }
        }
      }
      return false;
    }
  }

  /** Deletes a file unless another process has used it since it was checked. */
  private void evict(CachedFile known) throws IOException {
    CachedFile file = look(known.path());
    note(name(known.path()), file);
    if (file != null && mayGo(file) && Files.deleteIfExists(file.path())) {
      note(name(file.path()), null);
      entries.remove(name(file.path()));
      evicted.incrementAndGet();
    }
  }

  private String name(Path file) {
    return root.relativize(file).toString().replace('\\', '/');
  }

  private boolean mayGo(CachedFile file) {
    boolean old = file.lastUse().toMillis() < System.currentTimeMillis() - OF_OTHERS.toMillis();
    Entry entry = entries.get(name(file.path()));
    if (entry == null) {
      return old;
    }
    // Used by nobody else since this process used it, or long ago.
    return entry.holders == 0 && (old || file.lastUse().equals(entry.lastUse));
  }

  /** Records the present state of a file, null if it is gone. */
  private void note(String name, @Nullable CachedFile file) {
    synchronized (entries) {
      CachedFile before = file == null ? cached.remove(name) : cached.put(name, file);
      cachedBytes += (file == null ? 0 : file.bytes()) - (before == null ? 0 : before.bytes());
    }
  }

  private void scan() throws IOException {
    cached.clear();
    cachedBytes = 0;
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(root, Files::isDirectory)) {
      for (Path folder : folders) {
        try (DirectoryStream<Path> inside = Files.newDirectoryStream(folder)) {
          for (Path file : inside) {
            // A file being fetched may not be deleted.
            if (!file.getFileName().toString().startsWith(ArchiveStore.TEMPORARY_PREFIX)) {
              note(name(file), look(file));
            }
          }
        }
      }
    }
    scans++;
    scannedNanos = System.nanoTime();
  }

  int scans() {
    synchronized (entries) {
      return scans;
    }
  }

  /** The present state of a file, null if it is gone. */
  private static @Nullable CachedFile look(Path file) throws IOException {
    try {
      BasicFileAttributes of = Files.readAttributes(file, BasicFileAttributes.class);
      return new CachedFile(file, of.size(), of.lastModifiedTime());
    } catch (NoSuchFileException e) {
      return null; // removed since it was listed
    }
  }

  /** Deletes leftovers of dead processes from a folder: files not written to for a day. */
  static void deleteLeftOvers(Path folder, String prefix) throws IOException {
    long before = System.currentTimeMillis() - LEFT_OVER.toMillis();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, prefix + "*")) {
      for (Path file : files) {
        if (Files.isRegularFile(file) && Files.getLastModifiedTime(file).toMillis() < before) {
          Files.deleteIfExists(file);
        }
      }
    } catch (NoSuchFileException e) {
      // Deleted by another process, or nothing there yet.
    }
  }
}
