package org.flowmon.archive.lease;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.flowmon.archive.log.LazyLogger;

/**
 * Logs the consequences of a lease that cannot be made or written, once for each archive: a command
 * such as {@code verify} opens an archive several times. Safe for many threads.
 */
final class LeaseWarnings {
  private static final LazyLogger LOG = new LazyLogger(LeaseWarnings.class);

  static final LeaseWarnings OF_PROCESS = new LeaseWarnings(text -> LOG.get().warn(text));

  private final Consumer<String> out;
  private final Set<Path> notMade = ConcurrentHashMap.newKeySet();
  private final Set<Path> notWritten = ConcurrentHashMap.newKeySet();

  LeaseWarnings(Consumer<String> out) {
    this.out = out;
  }

  /** No other process can see that the archive is being read. */
  void notMade(Path archive, IOException e) {
    if (!notMade.add(archive.toAbsolutePath().normalize())) {
      return;
    }
    Path folder = archive.resolve(ReaderLease.FOLDER);
    String reason =
        isDenied(e)
            ? "this user may not write to " + folder + " (docs/archive.md, Rights, says how)"
            : "no file could be written in " + folder + ": " + e.getMessage();
    out.accept(
        "reading "
            + archive
            + " without a lease: "
            + reason
            + ". Answers are right, but a file that another process merges away or expires may be"
            + " deleted while it is being read, and the command then ends with an error");
  }

  /** The file names more or fewer commits than are being read. */
  void notWritten(Path archive, IOException e) {
    if (notWritten.add(archive.toAbsolutePath().normalize())) {
      out.accept(
          "the lease on "
              + archive
              + " cannot be written, so its files stay longer than they need to: "
              + e.getMessage());
    }
  }

  /** {@link java.io.RandomAccessFile} gives the reason only in its message. */
  private static boolean isDenied(IOException e) {
    return e instanceof AccessDeniedException
        || String.valueOf(e.getMessage()).endsWith("(Permission denied)");
  }
}
