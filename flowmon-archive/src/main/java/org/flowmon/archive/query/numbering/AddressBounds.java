package org.flowmon.archive.query.numbering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.IpAddress;

/** Cuts sorted lists of addresses into ranges of about as many entries over all lists together. */
public final class AddressBounds {
  private static final int SAMPLES = 8;

  /** Reads the address at a place of a list. */
  @FunctionalInterface
  public interface Reader {
    IpAddress address(int list, int place);
  }

  private AddressBounds() {}

  /**
   * The first address of the second, third, … of {@code wanted} ≥ 1 ranges, ascending; fewer if
   * addresses are few.
   */
  public static IpAddress[] of(int[] sizes, int wanted, Reader reader) {
    long total = Arrays.stream(sizes).asLongStream().sum();
    int samples = (int) Math.min(total, (long) SAMPLES * wanted);
    IpAddress[] some = new IpAddress[samples];
    long before = 0; // entries of the lists before this one
    int n = 0;
    for (int list = 0; list < sizes.length; list++) {
      for (; n < samples; n++) {
        long place = total * n / samples - before;
        if (place >= sizes[list]) {
          break;
        }
        some[n] = reader.address(list, (int) place);
      }
      before += sizes[list];
    }
    Arrays.sort(some);
    List<IpAddress> bounds = new ArrayList<>();
    for (int p = 1; p < wanted && samples > 0; p++) {
      IpAddress bound = some[(int) ((long) samples * p / wanted)];
      if (bound.compareTo(bounds.isEmpty() ? some[0] : bounds.get(bounds.size() - 1)) > 0) {
        bounds.add(bound);
      }
    }
    return bounds.toArray(IpAddress[]::new);
  }
}
