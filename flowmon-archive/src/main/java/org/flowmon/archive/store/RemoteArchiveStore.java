package org.flowmon.archive.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.flow.files.PrivateFolder;
import org.jspecify.annotations.Nullable;

/**
 * An archive in an object store. Large files are written to a folder of this host, put into the
 * store once, and read through a {@link FileCache}; those of the manifest are read directly. Leases
 * of this host lie in the same folder; those of other hosts cannot be seen, so replaced files stay
 * for a {@link #grace}.
 */
public final class RemoteArchiveStore implements ArchiveStore {
  private static final String WRITE = "write";
  private static final String CACHE = "cache";
  private static final String READ = "read-";

  private final ObjectStore store;
  private final Path local;
  private final Duration grace;
  private final FileCache cache;
  private volatile boolean keepsFirst;

  /**
   * This host's options: {@code cacheFolder} has a folder for each archive, shared by processes;
   * {@code cacheBytes} bounds an archive's cached files that nobody holds; {@code grace} keeps
   * files after their replacement, for readers of other hosts.
   */
  public record Options(Path cacheFolder, long cacheBytes, Duration grace) {
    private static final long DEFAULT_CACHE_BYTES = 10L << 30;
    private static final long DEFAULT_GRACE_SECONDS = 600;

    /** Of the settings {@code cache_directory}, {@code cache_bytes} and {@code grace_seconds}. */
    public static Options of(StoreSettings settings) throws IOException {
      String folder = settings.text("cache_directory");
      Path cache =
          folder == null
              ? Path.of(
                  System.getProperty("java.io.tmpdir"),
                  "flowmon-cache-" + System.getProperty("user.name"))
              : Path.of(folder);
      return new Options(
          cache,
          settings.number("cache_bytes", 1, 1L << 50, DEFAULT_CACHE_BYTES),
          Duration.ofSeconds(settings.number("grace_seconds", 1, 1 << 30, DEFAULT_GRACE_SECONDS)));
    }
  }

  /** An archive at the root of an object store, which is closed with this. */
  public RemoteArchiveStore(ObjectStore store, Options options) throws IOException {
    this.store = store;
    this.grace = options.grace();
    Path caches =
        PrivateFolder.create(
            options.cacheFolder(),
            PrivateFolder.Readers.ANY,
            "files in the cache are trusted: name another folder as cache_directory of the store");
    Path folder = caches.resolve(folderName(store.describe("")));
    Files.createDirectories(folder.resolve(CACHE));
    this.local = folder.toRealPath();
    this.cache = new FileCache(store, local.resolve(CACHE), options.cacheBytes());
    deleteLeftOvers();
  }

  /** One folder for each archive: readable, and different for different URLs. */
  private static String folderName(String url) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(url.getBytes(StandardCharsets.UTF_8));
      String readable = url.replaceAll("[^A-Za-z0-9.-]+", "_");
      return readable.substring(0, Math.min(60, readable.length()))
          + "-"
          + HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private void deleteLeftOvers() throws IOException {
    for (String part : List.of(WRITE, CACHE)) {
      try (DirectoryStream<Path> folders = Files.newDirectoryStream(folder(part))) {
        for (Path folder : folders) {
          FileCache.deleteLeftOvers(folder, part.equals(WRITE) ? "" : TEMPORARY_PREFIX);
        }
      }
    }
    try (DirectoryStream<Path> reads = Files.newDirectoryStream(local, READ + "*")) {
      for (Path read : reads) {
        FileCache.deleteLeftOvers(read, "");
        // Gone if it is empty now.
        String[] left = read.toFile().list();
        if (left != null && left.length == 0 && isOld(read)) {
          Files.deleteIfExists(read);
        }
      }
    }
  }

  private static boolean isOld(Path folder) throws IOException {
    return Files.getLastModifiedTime(folder).toMillis()
        < System.currentTimeMillis() - Duration.ofDays(1).toMillis();
  }

  private Path folder(String part) throws IOException {
    return Files.createDirectories(local.resolve(part));
  }

  @Override
  public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    requireCommits();
    return store.putIfAbsent(name, bytes);
  }

  @Override
  public void settle(String folder) {
    // Content visible in an object store is durable.
  }

  @Override
  public void replace(String name, byte[] bytes) throws IOException {
    store.put(name, bytes);
  }

  @Override
  public byte @Nullable [] read(String name, long maxBytes) throws IOException {
    return store.read(name, maxBytes);
  }

  @Override
  public byte[] readRange(String name, long offset, int length) throws IOException {
    return store.readRange(name, offset, length);
  }

  @Override
  public boolean exists(String name) throws IOException {
    return store.length(name) >= 0;
  }

  @Override
  public long length(String name) throws IOException {
    return store.length(name);
  }

  @Override
  public List<StoredFile> list(String folder) throws IOException {
    return store.list(folder);
  }

  @Override
  public boolean delete(String name) throws IOException {
    Files.deleteIfExists(local.resolve(WRITE).resolve(name));
    cache.remove(name);
    return store.delete(name);
  }

  @Override
  public Path writeFolder(String folder) throws IOException {
    return folder(WRITE + "/" + folder);
  }

  @Override
  public void publish(String name) throws IOException {
    Path written = local.resolve(WRITE).resolve(name);
    store.put(name, written);
    cache.adopt(name, written);
  }

  @Override
  public HeldFolder hold(String name, FileIdentity identity) throws IOException {
    return cache.hold(name, identity);
  }

  @Override
  public HeldFolder asStored(List<String> names) throws IOException {
    Path folder = Files.createDirectory(local.resolve(READ + UUID.randomUUID()));
    HeldFolder held = new HeldFolder(folder, () -> delete(folder));
    boolean done = false;
    try {
      for (String name : names) {
        cache.copy(name, folder.resolve(name.substring(name.lastIndexOf('/') + 1)));
      }
      done = true;
      return held;
    } finally {
      if (!done) {
        held.close();
      }
    }
  }

  private static void delete(Path folder) {
    try {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
        for (Path file : files) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Path hostFolder() {
    return local;
  }

  @Override
  public Duration grace() {
    return grace;
  }

  @Override
  public void requireCommits() throws IOException {
    if (!keepsFirst) {
      new ConditionalPutProbe(store).run();
      keepsFirst = true;
    }
  }

  @Override
  public void onLackOfRoom(BooleanSupplier letGo) {
    cache.onLackOfRoom(letGo);
  }

  @Override
  public void onIdle() {
    cache.onIdle();
  }

  @Override
  public FetchCounts fetched() {
    return cache.counts();
  }

  @Override
  public String describe(String name) {
    return store.describe(name);
  }

  @Override
  public void close() {
    store.close();
  }
}
