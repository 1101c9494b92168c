package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A disk is full even after all unneeded files were deleted. Nothing was committed; try again. */
public final class NoRoomException extends IOException {
  private static final long serialVersionUID = 1L;

  // Of Linux, macOS and Windows, for a full disk and a used up quota.
  private static final List<String> SAYINGS =
      List.of("no space left on device", "disk quota exceeded", "not enough space on the disk");

  /** An error of {@code folder}'s disk, after {@code freed} bytes were deleted. */
  public NoRoomException(Path folder, long freed, IOException cause) {
    super(
        String.format(
            Locale.ROOT,
            "%s: its disk has no room left (%s); %,d bytes of unneeded files were deleted, which"
                + " was not enough: make room, or let `flowmon expire` keep less",
            folder,
            left(folder),
            freed),
        cause);
  }

  private static String left(Path folder) {
    try {
      FileStore store = Files.getFileStore(folder);
      return String.format(
          Locale.ROOT, "%,d of %,d bytes are free", store.getUsableSpace(), store.getTotalSpace());
    } catch (IOException e) {
      return "how much is free is unknown: " + e.getMessage();
    }
  }

  public static boolean isMeantBy(Throwable error) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      String message = e.getMessage() == null ? "" : e.getMessage().toLowerCase(Locale.ROOT);
      if (e instanceof NoRoomException
          || (e instanceof IOException && SAYINGS.stream().anyMatch(message::contains))) {
        return true;
      }
    }
    return false;
  }
}
