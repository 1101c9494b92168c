package org.flowmon.deploy.parquet;

import java.io.IOException;

/**
 * How many bytes the pages of a row group that are held at the same time take. What a small file
 * claims can be more than the heap. Not thread-safe.
 */
final class PageMemory {
  // What is made of a dictionary's text: an object with its place in an array.
  private static final int BYTES_OF_TEXT = 64;

  private final long most;
  private long held;

  /** Half of the heap, the other half is the import's. */
  PageMemory() {
    this(Runtime.getRuntime().maxMemory() / 2);
  }

  PageMemory(long most) {
    this.most = most;
  }

  /**
   * Takes a page before it is made.
   *
   * @param values of a dictionary that are objects each, 0 for other pages
   * @return the bytes, to be given back
   * @throws IOException where there would be more than there may be
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
