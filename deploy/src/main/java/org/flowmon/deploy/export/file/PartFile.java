package org.flowmon.deploy.export.file;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.GZIPOutputStream;

/**
 * A file that exists whole or not at all: written under a temporary name beside it, synced and
 * renamed. A name that ends with {@code .gz} is compressed.
 */
public final class PartFile implements AutoCloseable {
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final Path part;
  private final boolean replace;
  private final FileChannel channel;
  private final OutputStream stream;

  /**
   * Throws {@link FileAlreadyExistsException} if the file exists and is not to be replaced.
   *
   * @throws IOException if its folder does not exist
   */
  public static void check(Path file, boolean replace) throws IOException {
    if (Files.exists(file) && !replace) {
      throw new FileAlreadyExistsException(file.toString());
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      throw new IOException(file + ": there is no folder " + folder);
    }
  }

  /** Opens it under its temporary name. */
  public PartFile(Path file, boolean replace) throws IOException {
    this.file = file;
    this.part = file.resolveSibling(partName(file));
    this.replace = replace;
    this.channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    OutputStream plain = Channels.newOutputStream(channel);
    this.stream =
        file.toString().endsWith(".gz")
            ? new GZIPOutputStream(new BufferedOutputStream(plain, BUFFER), BUFFER)
            : plain;
  }

  /** A unique name, so that exports to one file do not write into each other's. */
  private static String partName(Path file) {
    return String.format(
        Locale.ROOT, "%s.%016x.part", file.getFileName(), ThreadLocalRandom.current().nextLong());
  }

  /** Without a buffer, unless it compresses. */
  public OutputStream stream() {
    return stream;
  }

  /** Ends the file and gives it its name. */
  public void publish() throws IOException {
    if (stream instanceof GZIPOutputStream packed) {
      packed.finish(); // writes the trailer
      packed.flush();
    }
    channel.force(true);
    channel.close();
    rename();
  }

  private void rename() throws IOException {
    if (!replace) {
      try {
        Files.createLink(
            file, part); // fails if the file was created meanwhile; close() deletes the part
        return;
      } catch (FileAlreadyExistsException e) {
        throw new IOException(file + ": came while it was written; --force replaces it", e);
      } catch (UnsupportedOperationException | FileSystemException e) {
        if (Files.exists(file)) {
          throw new IOException(file + ": came while it was written; --force replaces it", e);
        }
        // A file system without links: checking first is the best option.
      }
    }
    try {
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Deletes what was not published. */
  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(part);
  }
}
