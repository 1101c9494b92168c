package org.flowmon.deploy.command;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Tells now and then how far a long import is. */
final class ImportProgress {
  private static final long EVERY_NANOS = 5_000_000_000L;

  private final int files;
  private final LongSupplier clock;
  private final Consumer<String> out;
  private int number;
  private String name;
  private long rows;
  private long start;
  private long told;

  /**
   * @param files to import
   * @param clock nanoseconds
   * @param out takes lines for people
   */
  ImportProgress(int files, LongSupplier clock, Consumer<String> out) {
    this.files = files;
    this.clock = clock;
    this.out = out;
    this.told = clock.getAsLong();
  }

  /** The next file begins. */
  void file(String fileName) {
    number++;
    name = fileName;
    rows = 0;
    start = clock.getAsLong();
  }

  /** More rows of the file were read. */
  void rows(int count) {
    rows += count;
    long now = clock.getAsLong();
    if (now - told >= EVERY_NANOS) {
      told = now;
      out.accept(
          String.format(
              "file %d of %d: %s, %,d flows so far, %,.0f flows/s",
              number, files, name, rows, rows * 1e9 / Math.max(1, now - start)));
    }
  }
}
