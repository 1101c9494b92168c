package org.flowmon.udaf.set;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/** Disjoint closed ranges in ascending order; a point's ends are equal. Immutable. */
public final class AddressRanges {
  /** Both ends are in the range. */
  public record Range(IpAddress first, IpAddress last) {
    public boolean isPoint() {
      return first.equals(last);
    }
  }

  private static final IpAddress LOWEST = new IpAddress(0, 0);
  private static final IpAddress HIGHEST = new IpAddress(-1, -1);

  public static final AddressRanges NONE = new AddressRanges(List.of());

  private static final List<Range> IPV4 =
      List.of(new Range(IpAddress.ofIpv4(0), IpAddress.ofIpv4(-1)));

  private static final AddressRanges NOT_IPV4 = new AddressRanges(IPV4).complement();

  private final List<Range> ranges;

  private AddressRanges(List<Range> ranges) {
    this.ranges = ranges;
  }

  /** The ranges in any order, possibly overlapping. */
  public static AddressRanges of(List<Range> ranges) {
    List<Range> sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparing(Range::first));
    List<Range> merged = new ArrayList<>();
    for (Range range : sorted) {
      Range before = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (before != null
          && (before.last.equals(HIGHEST) || range.first.compareTo(next(before.last)) <= 0)) {
        IpAddress last = before.last.compareTo(range.last) >= 0 ? before.last : range.last;
        merged.set(merged.size() - 1, new Range(before.first, last));
      } else {
        merged.add(range);
      }
    }
    return new AddressRanges(List.copyOf(merged));
  }

  /** One range with both ends; empty if {@code first > last}. */
  public static AddressRanges of(IpAddress first, IpAddress last) {
    return first.compareTo(last) > 0 ? NONE : new AddressRanges(List.of(new Range(first, last)));
  }

  /** The addresses of a prefix: of its own family only, so that {@code ::/0} holds no IPv4. */
  public static AddressRanges of(IpPrefix prefix) {
    AddressRanges all = of(prefix.first(), prefix.last());
    return prefix.first().isIpv4() || !all.contains(IPV4.get(0).first()) ? all : all.and(NOT_IPV4);
  }

  public static AddressRanges atLeast(IpAddress first) {
    return of(first, HIGHEST);
  }

  public static AddressRanges atMost(IpAddress last) {
    return of(LOWEST, last);
  }

  /** The address before one that is not {@code ::}. */
  static IpAddress previous(IpAddress address) {
    return new IpAddress(address.lo() == 0 ? address.hi() - 1 : address.hi(), address.lo() - 1);
  }

  /** The address after one that is not the highest. */
  static IpAddress next(IpAddress address) {
    return new IpAddress(address.lo() == -1 ? address.hi() + 1 : address.hi(), address.lo() + 1);
  }

  public List<Range> ranges() {
    return ranges;
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  public boolean contains(IpAddress address) {
    return intersects(address, address);
  }

  public boolean intersects(IpAddress from, IpAddress to) {
    int low = 0;
    int high = ranges.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ranges.get(middle).last.compareTo(from) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return from.compareTo(to) <= 0
        && low < ranges.size()
        && ranges.get(low).first.compareTo(to) <= 0;
  }

  public AddressRanges and(AddressRanges other) {
    List<Range> both = new ArrayList<>();
    for (int i = 0, j = 0; i < ranges.size() && j < other.ranges.size(); ) {
      Range a = ranges.get(i);
      Range b = other.ranges.get(j);
      IpAddress from = a.first.compareTo(b.first) >= 0 ? a.first : b.first;
      boolean mineEndsFirst = a.last.compareTo(b.last) < 0;
      IpAddress to = mineEndsFirst ? a.last : b.last;
      if (from.compareTo(to) <= 0) {
        both.add(new Range(from, to));
      }
      if (mineEndsFirst) {
        i++;
      } else {
        j++;
      }
    }
    return new AddressRanges(List.copyOf(both));
  }

  public AddressRanges or(AddressRanges other) {
    List<Range> all = new ArrayList<>(ranges);
    all.addAll(other.ranges);
    return of(all);
  }

  public AddressRanges complement() {
    List<Range> gaps = new ArrayList<>();
    IpAddress from = LOWEST;
    for (Range range : ranges) {
      if (range.first.compareTo(from) > 0) {
        gaps.add(new Range(from, previous(range.first)));
      }
      if (range.last.equals(HIGHEST)) {
        return new AddressRanges(List.copyOf(gaps));
      }
      from = next(range.last);
    }
    gaps.add(new Range(from, HIGHEST));
    return new AddressRanges(List.copyOf(gaps));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AddressRanges that && ranges.equals(that.ranges);
  }

  @Override
  public int hashCode() {
    return ranges.hashCode();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Range range : ranges) {
      text.append(text.isEmpty() ? "" : " ").append('[').append(range.first);
      text.append(range.isPoint() ? "" : ", " + range.last).append(']');
    }
    return text.isEmpty() ? "none" : text.toString();
  }
}
