package org.flowmon.ingest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/** A flow whose source is inside is {@code outgoing}, NULL for {@link #NONE}. Immutable. */
public final class ProtectedNetworks {
  public static final ProtectedNetworks NONE = new ProtectedNetworks(List.of());

  private final Ranges ipv4;
  private final Ranges ipv6;

  public ProtectedNetworks(List<IpPrefix> networks) {
    // By family: ::/0 holds no IPv4 address, although IPv4 lies within its range.
    ipv4 = Ranges.of(networks.stream().filter(p -> p.first().isIpv4()).toList());
    ipv6 = Ranges.of(networks.stream().filter(p -> !p.first().isIpv4()).toList());
  }

  /** Parses each text with {@link IpPrefix#parse}. */
  public static ProtectedNetworks parse(List<String> networks) {
    return new ProtectedNetworks(networks.stream().map(IpPrefix::parse).toList());
  }

  public boolean areKnown() {
    return this != NONE;
  }

  public boolean contains(long hi, long lo) {
    return (IpAddress.isIpv4(hi, lo) ? ipv4 : ipv6).contains(hi, lo);
  }

  private static final class Ranges {
    private final long[] firstHi;
    private final long[] firstLo;
    private final long[] lastHi;
    private final long[] lastLo;

    private Ranges(List<IpPrefix> disjoint) {
      firstHi = disjoint.stream().mapToLong(p -> p.first().hi()).toArray();
      firstLo = disjoint.stream().mapToLong(p -> p.first().lo()).toArray();
      lastHi = disjoint.stream().mapToLong(p -> p.last().hi()).toArray();
      lastLo = disjoint.stream().mapToLong(p -> p.last().lo()).toArray();
    }

    static Ranges of(List<IpPrefix> prefixes) {
      List<IpPrefix> sorted = new ArrayList<>(prefixes);
      sorted.sort(Comparator.comparing(IpPrefix::first).thenComparingInt(IpPrefix::length));
      List<IpPrefix> outer = new ArrayList<>();
      for (IpPrefix prefix : sorted) {
        // Two prefixes are nested or disjoint, and of nested ones the outer sorts first.
        if (outer.isEmpty() || outer.get(outer.size() - 1).last().compareTo(prefix.first()) < 0) {
          outer.add(prefix);
        }
      }
      return new Ranges(outer);
    }

    boolean contains(long hi, long lo) {
      int low = 0;
      int high = firstHi.length - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        if (IpAddress.compare(hi, lo, firstHi[middle], firstLo[middle]) < 0) {
          high = middle - 1;
        } else if (IpAddress.compare(hi, lo, lastHi[middle], lastLo[middle]) > 0) {
          low = middle + 1;
        } else {
          return true;
        }
      }
      return false;
    }
  }
}
