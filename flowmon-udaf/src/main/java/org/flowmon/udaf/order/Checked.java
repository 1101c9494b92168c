package org.flowmon.udaf.order;

/** An order that runs a cancellation check now and then. */
public final class Checked implements FirstRows.Order {
  // Comparisons between two checks: some tenths of a millisecond.
  private static final int COMPARISONS = 1 << 13;

  private final FirstRows.Order order;
  private final Runnable check;
  private int left = COMPARISONS;

  private Checked(FirstRows.Order order, Runnable check) {
    this.order = order;
    this.check = check;
  }

  /** The same order, for one thread; {@code check} may throw to end the sort. */
  public static FirstRows.Order of(FirstRows.Order order, Runnable check) {
    return new Checked(order, check);
  }

  @Override
  public int compare(int rowA, int rowB) {
    if (--left == 0) {
      left = COMPARISONS;
      check.run();
    }
    return order.compare(rowA, rowB);
  }
}
