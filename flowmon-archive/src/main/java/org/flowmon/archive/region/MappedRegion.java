package org.flowmon.archive.region;

import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.flow.bytes.Crc32c;
import org.jspecify.annotations.Nullable;

/**
 * A whole file in mapped memory, below 2 GiB, counted by reference. Its length is checked before
 * mapping, so that no read can go past its end; sealed files are never written again. A file that
 * another program cuts while it is mapped is an error: {@link #requireWhole}. Only Java code may
 * read the bytes: native code reading a cut file in place would end the process.
 *
 * <p>Java 17 has no public way to unmap; {@code sun.misc.Unsafe.invokeCleaner} of module
 * jdk.unsupported is the accepted one. After the last {@link #release}, {@link #buffer} throws, and
 * a buffer taken before must not be touched; the references ensure this.
 */
public final class MappedRegion {
  private static final MethodHandle INVOKE_CLEANER = findCleaner();
  private static final int BLOCK = 1 << 14;

  // All open regions, to find the one that a memory fault belongs to.
  private static final Set<MappedRegion> OPEN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final File file;
  private final @Nullable Object key;
  private final int length;
  private final AtomicInteger references = new AtomicInteger(1);
  private volatile @Nullable ByteBuffer buffer; // null after the last release

  private MappedRegion(Path path, @Nullable Object key, ByteBuffer buffer) {
    this.path = path;
    this.file = path.toFile();
    this.key = key;
    this.length = buffer.capacity();
    this.buffer = buffer;
    OPEN.add(this);
  }

  /**
   * Maps a sealed file with one reference and checks its footer.
   *
   * @throws SegmentCorruptException if length or footer are not as sealed
   * @throws IOException if the file cannot be opened or mapped
   */
  public static MappedRegion open(Path path, FileIdentity identity) throws IOException {
    ByteBuffer mapped;
    Object key = key(path);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      long length = channel.size();
      if (length != identity.length()) {
        throw new SegmentCorruptException(
            path, "length", "the file has " + length + " bytes, sealed were " + identity.length());
      }
      mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, length).order(ByteOrder.LITTLE_ENDIAN);
    }
    MappedRegion region = new MappedRegion(path, key, mapped);
    try {
      region.verify(
          "footer",
          (int) identity.length() - identity.footerLength(),
          identity.footerLength(),
          identity.footerCrc32c());
      return region;
    } catch (SegmentCorruptException e) {
      region.release();
      throw e;
    }
  }

  /**
   * Maps a file of unknown identity, with one reference: its reader has to identify it. Throws
   * {@link SegmentCorruptException} if it is empty or 2 GiB or more.
   */
  public static MappedRegion open(Path path) throws IOException {
    Object key = key(path);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      long length = channel.size();
      if (length < 1 || length > Integer.MAX_VALUE) {
        throw new SegmentCorruptException(
            path, "length", "the file has " + length + " bytes, expected 1 … 2 GiB");
      }
      return new MappedRegion(
          path,
          key,
          channel.map(FileChannel.MapMode.READ_ONLY, 0, length).order(ByteOrder.LITTLE_ENDIAN));
    }
  }

  public Path path() {
    return path;
  }

  public int length() {
    return buffer().capacity();
  }

  /**
   * The bytes, little-endian; for absolute reads only, since threads share it. Throws {@link
   * IllegalStateException} after the last release.
   */
  public ByteBuffer buffer() {
    ByteBuffer current = buffer;
    if (current == null) {
      throw new IllegalStateException(path + " is closed");
    }
    return current;
  }

  /** Throws {@link IllegalStateException}, naming the file, after the last release. */
  public void requireOpen() {
    buffer();
  }

  /** A little-endian buffer over some of the bytes, with its own position. */
  public ByteBuffer slice(String place, int offset, int length) {
    checkRange(place, offset, length);
    return buffer().slice(offset, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Throws unless [offset, offset + length) lies within the file. */
  public void checkRange(String place, long offset, long length) {
    if (offset < 0 || length < 0 || offset + length < 0 || offset + length > length()) {
      throw corrupt(
          place, "bytes " + offset + "+" + length + " lie outside of the file's " + length());
    }
  }

  /**
   * Throws unless the bytes have this CRC32C. They are copied in blocks: then a cut file causes an
   * error, while the checksum's native code reading in place would end the whole process.
   */
  public void verify(String place, int offset, int length, int crc32c) {
    checkRange(place, offset, length);
    ByteBuffer bytes = buffer();
    byte[] block = new byte[Math.min(length, BLOCK)];
    Crc32c crc = new Crc32c();
    for (int done = 0; done < length; ) {
      int n = Math.min(block.length, length - done);
      bytes.get(offset + done, block, 0, n);
      crc.update(block, 0, n);
      done += n;
    }
    if (crc.value() != crc32c) {
      requireWhole();
      throw corrupt(
          place,
          String.format(
              "bytes %d+%d have the CRC32C %08x, sealed was %08x",
              offset, length, crc.value(), crc32c));
    }
  }

  /**
   * Throws if the file was cut since it was mapped. Bytes read past its new end were never written,
   * and Java may throw the resulting {@link InternalError} later: readers call this before they use
   * a result. A deleted or replaced file is whole as long as it is mapped.
   */
  public void requireWhole() {
    cut()
        .ifPresent(
            e -> {
              throw e;
            });
  }

  private Optional<SegmentCorruptException> cut() {
    long now = file.length(); // 0 also if it is deleted
    if (now >= length || !isSame()) {
      return Optional.empty();
    }
    return Optional.of(
        corrupt(
            "length",
            "the file was cut while it was read: it has " + now + " of " + length + " bytes"));
  }

  private boolean isSame() {
    try {
      return Objects.equals(key, key(path));
    } catch (IOException e) {
      return false; // deleted
    }
  }

  /** A key that tells the file from later ones of its path, null if the system has none. */
  private static @Nullable Object key(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  /** The error naming the file whose cutting caused a memory fault; the fault if none was cut. */
  public static RuntimeException explain(InternalError fault) {
    for (MappedRegion region : OPEN) {
      Optional<SegmentCorruptException> cut = region.cut();
      if (cut.isPresent()) {
        SegmentCorruptException e = cut.get();
        e.addSuppressed(fault);
        return e;
      }
    }
    throw fault;
  }

  public SegmentCorruptException corrupt(String place, String what) {
    return new SegmentCorruptException(path, place, what);
  }

  /** Takes a reference; throws {@link IllegalStateException} after the last release. */
  public void acquire() {
    int now;
    do {
      now = references.get();
      if (now == 0) {
        throw new IllegalStateException(path + " is closed");
      }
    } while (!references.compareAndSet(now, now + 1));
  }

  /** Gives a reference back; the last one unmaps. Returns whether it was the last. */
  public boolean release() {
    int left = references.decrementAndGet();
    if (left < 0) {
      references.incrementAndGet();
      throw new IllegalStateException(path + " was released more often than acquired");
    }
    if (left == 0) {
      ByteBuffer mapped = buffer();
      buffer = null;
      OPEN.remove(this);
      unmap(mapped);
    }
    return left == 0;
  }

  private static void unmap(ByteBuffer mapped) {
    try {
      INVOKE_CLEANER.invokeExact(mapped);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("cannot unmap", e);
    }
  }

  private static MethodHandle findCleaner() {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      return MethodHandles.lookup()
          .findVirtual(unsafe, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
          .bindTo(instance.get(null));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
