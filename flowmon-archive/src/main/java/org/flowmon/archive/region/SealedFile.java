package org.flowmon.archive.region;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.flowmon.flow.bytes.Crc32c;
import org.jspecify.annotations.Nullable;

/**
 * A file under construction that gets its name only when complete and synced. Closing it before
 * {@link #seal} deletes it.
 */
public final class SealedFile implements Closeable {
  // The JDK copies a heap buffer through a direct one of its size, kept per thread: stay small.
  private static final int SLICE = 1 << 20;

  private final Path target;
  private final Path temporary;
  private final FileChannel channel;
  private final Crc32c fileCrc = new Crc32c();
  private @Nullable Crc32c footerCrc;
  private long footerStart;
  private long position;
  private boolean sealed;

  private SealedFile(Path target, Path temporary, FileChannel channel) {
    this.target = target;
    this.temporary = temporary;
    this.channel = channel;
  }

  /** Creates a file under a temporary name beside its final one. */
  public static SealedFile create(Path target) throws IOException {
    if (Files.exists(target)) {
      throw new IOException(target + " exists already");
    }
    Path temporary = target.resolveSibling("." + target.getFileName() + ".tmp");
    FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    return new SealedFile(target, temporary, channel);
  }

  public long position() {
    return position;
  }

  public void beginFooter() {
    footerCrc = new Crc32c();
    footerStart = position;
  }

  public void write(byte[] bytes, int offset, int length) throws IOException {
    if (position + length > Integer.MAX_VALUE) {
      throw new IOException(target + " would reach 2 GiB; seal fewer rows");
    }
    fileCrc.update(bytes, offset, length);
    if (footerCrc != null) {
      footerCrc.update(bytes, offset, length);
    }
    for (int done = 0; done < length; ) {
      ByteBuffer slice = ByteBuffer.wrap(bytes, offset + done, Math.min(SLICE, length - done));
      done += slice.remaining();
      while (slice.hasRemaining()) {
        channel.write(slice);
      }
    }
    position += length;
  }

  /**
   * Syncs and names the file, gives its identity; then {@link
   * org.flowmon.flow.files.SyncedFolders#sync} the folder.
   */
  public FileIdentity seal() throws IOException {
    channel.force(true);
    channel.close();
    Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    sealed = true;
    return identity();
  }

  /** The identity of the bytes written so far; needs {@link #beginFooter} before. */
  public FileIdentity identity() {
    return new FileIdentity(
        position,
        fileCrc.value(),
        (int) (position - footerStart),
        Objects.requireNonNull(footerCrc, "no footer was begun").value());
  }

  @Override
  public void close() throws IOException {
    if (!sealed) {
      try {
        channel.close();
      } finally {
        Files.deleteIfExists(temporary);
      }
    }
  }
}
