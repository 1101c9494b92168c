package org.flowmon.bench.archive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Counts the rows of each address of the workload, on either side. */
public final class AddressCounts {
  // Open addressing, a power of two of slots; a slot is taken if its count is not 0.
  private int[] addresses = new int[1 << 12];
  private int[] counts = new int[1 << 12];
  private int size;

  /**
   * An address and its rows.
   *
   * @param address as an unsigned number
   */
  public record Counted(long address, int rows) {}

  /** Counts the addresses of all rows of a block. */
  public void add(FlowBlock block) {
    for (WorkloadColumn side : List.of(WorkloadColumn.SRC_ADDR, WorkloadColumn.DST_ADDR)) {
      long[] values = block.column(side);
      for (int i = 0; i < block.rows(); i++) {
        add((int) values[i], 1);
      }
    }
  }

  private void add(int address, int count) {
    int slot = slot(address);
    if (counts[slot] == 0) {
      addresses[slot] = address;
      size++;
    }
    counts[slot] += count;
    if (2 * size > counts.length) {
      grow();
    }
  }

  private int slot(int address) {
    int mask = counts.length - 1;
    int slot = (int) ((address * 0x9E37_79B9_7F4A_7C15L) >>> 32) & mask;
    while (counts[slot] != 0 && addresses[slot] != address) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    int[] oldAddresses = addresses;
    int[] oldCounts = counts;
    addresses = new int[2 * oldAddresses.length];
    counts = new int[addresses.length];
    size = 0;
    for (int i = 0; i < oldCounts.length; i++) {
      if (oldCounts[i] > 0) {
        add(oldAddresses[i], oldCounts[i]);
      }
    }
  }

  /** Rows of an address; 0 if it has none. */
  public int rows(long address) {
    return counts[slot((int) address)];
  }

  /** Draws addresses with rows, without regard to their number; returns all if there are fewer. */
  public List<Counted> drawn(int count, long seed) {
    int[] taken = IntStream.range(0, counts.length).filter(slot -> counts[slot] > 0).toArray();
    int n = Math.min(count, taken.length);
    SplittableRandom random = new SplittableRandom(seed);
    List<Counted> drawn = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      int j = random.nextInt(i, taken.length);
      int slot = taken[j];
      taken[j] = taken[i];
      drawn.add(counted(slot));
    }
    return drawn;
  }

  private Counted counted(int slot) {
    return new Counted(addresses[slot] & 0xFFFF_FFFFL, counts[slot]);
  }

  /**
   * The addresses whose rows come nearest to a number, the nearest first; equally near ones by
   * address.
   *
   * @param most addresses with more rows are left out
   * @param count addresses at most
   */
  public List<Counted> nearest(long wanted, long most, int count) {
    Counted[] all =
        IntStream.range(0, counts.length)
            .filter(slot -> counts[slot] > 0 && counts[slot] <= most)
            .mapToObj(this::counted)
            .toArray(Counted[]::new);
    Arrays.sort(
        all,
        Comparator.comparingLong((Counted c) -> Math.abs(c.rows() - wanted))
            .thenComparingLong(Counted::address));
    return List.of(Arrays.copyOf(all, Math.min(count, all.length)));
  }
}
