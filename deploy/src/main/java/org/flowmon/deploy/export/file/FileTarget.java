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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.GZIPOutputStream;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.deploy.export.row.ExportTarget;

/**
 * A file that exists with all its rows or not at all: written under a temporary name beside it,
 * synced and renamed. A name that ends with {@code .gz} is compressed.
 */
public final class FileTarget implements ExportTarget {
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final Path part;
  private final ExportFormat format;
  private final boolean replace;
  private Optional<Opened> opened = Optional.empty(); // since it began

  /** The file under its temporary name; {@code stream} compresses if the name says so. */
  private record Opened(FileChannel channel, OutputStream stream, StreamTarget rows) {}

  /**
   * Throws {@link FileAlreadyExistsException} if the file exists and is not to be replaced.
   *
   * @throws IOException if its folder does not exist
   */
  public static FileTarget of(Path file, ExportFormat format, boolean replace) throws IOException {
    if (Files.exists(file) && !replace) {
      throw new FileAlreadyExistsException(file.toString());
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      throw new IOException(file + ": there is no folder " + folder);
    }
    return new FileTarget(file, format, replace);
  }

  private FileTarget(Path file, ExportFormat format, boolean replace) {
    this.file = file;
    this.part = file.resolveSibling(partName(file));
    this.format = format;
    this.replace = replace;
  }

  /** A unique name, so that exports to one file do not write into each other's. */
  private static String partName(Path file) {
    return String.format(
        Locale.ROOT, "%s.%016x.part", file.getFileName(), ThreadLocalRandom.current().nextLong());
  }

  @Override
  public void begin(List<ExportColumn> columns) throws IOException {
    FileChannel channel =
        FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    OutputStream plain = Channels.newOutputStream(channel);
    OutputStream stream =
        file.toString().endsWith(".gz")
            ? new GZIPOutputStream(new BufferedOutputStream(plain, BUFFER), BUFFER)
            : plain;
    StreamTarget rows = new StreamTarget(stream, format);
    opened = Optional.of(new Opened(channel, stream, rows));
    rows.begin(columns);
  }

  @Override
  public void write(ExportRows block) throws IOException {
    opened.orElseThrow().rows().write(block);
  }

  @Override
  public void finish() throws IOException {
    Opened written = opened.orElseThrow();
    written.rows().finish();
    if (written.stream() instanceof GZIPOutputStream packed) {
      packed.finish(); // writes the trailer
      packed.flush();
    }
    written.channel().force(true);
    written.channel().close();
    publish();
  }

  private void publish() throws IOException {
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

  @Override
  public void close() throws IOException {
    if (opened.isPresent()) {
      opened.get().rows().close();
      opened.get().channel().close();
      Files.deleteIfExists(part);
    }
  }
}
