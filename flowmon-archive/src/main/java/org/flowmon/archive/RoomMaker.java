package org.flowmon.archive;

import java.io.IOException;
import org.flowmon.archive.store.NoRoomException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Retries writes to an archive with a full disk, after deleting unneeded files. */
final class RoomMaker {
  private static final Logger LOG = LoggerFactory.getLogger(RoomMaker.class);

  private final SharedArchive shared;

  RoomMaker(SharedArchive shared) {
    this.shared = shared;
  }

  /** A write; it must have changed nothing if it fails, since it is run again. */
  interface Work<T> {
    T run() throws IOException;
  }

  /** Runs a write, again after making room on a full disk, or throws {@link NoRoomException}. */
  <T> T run(Work<T> work) throws IOException {
    try {
      return work.run();
    } catch (IOException e) {
      if (!NoRoomException.isMeantBy(e)) {
        throw e;
      }
      return runAgain(work, e);
    }
  }

  private <T> T runAgain(Work<T> work, IOException lack) throws IOException {
    long freed;
    try {
      freed = new UnneededFiles(shared).makeRoom();
    } catch (IOException e) {
      lack.addSuppressed(e);
      throw new NoRoomException(shared.store().writeFolder(Archive.SEGMENTS), 0, lack);
    }
    LOG.warn(
        "the disk of {} is full; {} bytes of unneeded files were deleted",
        shared.location(),
        freed);
    if (freed == 0) {
      throw new NoRoomException(shared.store().writeFolder(Archive.SEGMENTS), 0, lack);
    }
    try {
      return work.run();
    } catch (IOException e) {
      if (NoRoomException.isMeantBy(e)) {
        throw new NoRoomException(shared.store().writeFolder(Archive.SEGMENTS), freed, e);
      }
      throw e;
    }
  }
}
