package org.flowmon.deploy.parquet;

import java.io.IOException;
import org.flowmon.flow.memory.HeapBudget;

/**
 * The bytes of a row group's pages held at once: a small file can claim more than the heap. Not
 * thread-safe.
 */
final class PageMemory {
  // A dictionary's text: an object and its place in an array.
  private static final int BYTES_OF_TEXT = 64;

  private final long most;
  private long held;

  PageMemory() {
    this(HeapBudget.Part.FOREIGN_PAGES.bytes());
  }

  PageMemory(long most) {
    this.most = most;
  }

  /**
   * Takes the bytes of a page before it is created; returns them, to be given back.
   *
   * @param values of a dictionary with an object for each, 0 for other pages
   * @throws IOException if they exceed the limit
   */
  long take(int packed, int plain, int values) throws IOException {
    long bytes = (long) packed + plain + (long) values * BYTES_OF_TEXT;
    if (bytes > most - held) {
      throw new IOException(
          "the pages of a row of all columns take "
              + ((held + bytes) >> 20)
              + " MiB, expected at most "
              + (most >> 20)
              + ", half of the heap: FLOWMON_JAVA_OPTS=-Xmx… makes it larger");
    }
    held += bytes;
    return bytes;
  }

  void give(long bytes) {
    held -= bytes;
  }
}
