package org.flowmon.deploy.export.sql;

/** Rows of a transaction; auto doubles while that is a twentieth faster. Not thread-safe. */
public final class BatchSize {
  private static final int FIRST = 1000;
  private static final int LARGEST = 32_000;
  private static final double WORTH = 1.05;

  private final boolean automatic;
  private int rows;
  private double bestRate;

  private BatchSize(int rows, boolean automatic) {
    this.rows = rows;
    this.automatic = automatic;
  }

  /**
   * {@code auto}, {@code off} (a transaction for each row) or a number.
   *
   * @throws IllegalArgumentException for any other text
   */
  public static BatchSize parse(String text) {
    if (text.equals("auto")) {
      return new BatchSize(FIRST, true);
    }
    if (text.equals("off")) {
      return new BatchSize(1, false);
    }
    try {
      int rows = Integer.parseInt(text);
      if (rows >= 1 && rows <= 1_000_000) {
        return new BatchSize(rows, false);
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(expected(text), e);
    }
    throw new IllegalArgumentException(expected(text));
  }

  private static String expected(String text) {
    return "'" + text + "': expected auto, off or a number of 1 … 1000000";
  }

  int rows() {
    return rows;
  }

  void took(long nanos) {
    if (!automatic || rows >= LARGEST || bestRate < 0) {
      return;
    }
    double rate = rows / (double) Math.max(1, nanos);
    if (bestRate == 0 || rate > bestRate * WORTH) {
      bestRate = rate;
      rows = Math.min(LARGEST, 2 * rows);
    } else {
      bestRate = -1; // larger ones gain nothing
    }
  }
}
