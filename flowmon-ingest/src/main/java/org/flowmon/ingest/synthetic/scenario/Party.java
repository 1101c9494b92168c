package org.flowmon.ingest.synthetic.scenario;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.Hosts;

/**
 * Hosts of one side of a behaviour.
 *
 * @param population how many there are of the place, from which the hosts are drawn
 * @param first of consecutive addresses, if the place is listed
 */
public record Party(Place place, int population, int hosts, boolean ipv6, IpAddress first) {
  /** Inside addresses, used or not. */
  public static final int INSIDE_ADDRESSES = 65_536;

  /** Where hosts are. */
  public enum Place {
    INSIDE,
    OUTSIDE,
    /** Addresses inside that no host has. */
    UNUSED,
    LISTED
  }

  public Party {
    if (hosts < 1 || hosts > population) {
      throw new IllegalArgumentException(hosts + " hosts of " + population);
    }
  }

  /** The hosts' numbers at the place, each once. */
  int[] draw(SplittableRandom random) {
    int[] drawn = new int[population];
    for (int i = 0; i < population; i++) {
      drawn[i] = i;
    }
    for (int i = 0; place != Place.LISTED && i < hosts; i++) {
      int at = i + random.nextInt(population - i);
      int number = drawn[at];
      drawn[at] = drawn[i];
      drawn[i] = number;
    }
    return Arrays.copyOf(drawn, hosts);
  }

  private int host(int number) {
    return place == Place.UNUSED ? INSIDE_ADDRESSES - 1 - number : number;
  }

  long hi(int number) {
    return switch (place) {
      case LISTED -> first.hi();
      case OUTSIDE -> ipv6 ? Hosts.outsideV6High(number) : 0;
      default -> ipv6 ? Hosts.insideV6High(host(number)) : 0;
    };
  }

  long lo(int number) {
    return switch (place) {
      case LISTED -> first.lo() + number;
      case OUTSIDE -> ipv6 ? Hosts.v6Low(number) : Hosts.outsideV4(number);
      default -> ipv6 ? Hosts.v6Low(host(number)) : Hosts.insideV4(host(number));
    };
  }

  int as(int number) {
    return Hosts.isInside(hi(number), lo(number)) ? Hosts.insideAs() : Hosts.outsideAs(number);
  }
}
