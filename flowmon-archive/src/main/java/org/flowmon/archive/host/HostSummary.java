package org.flowmon.archive.host;

import java.math.BigInteger;
import java.util.List;
import java.util.Objects;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Exact sums over the flows of a host, as source or destination. A flow of a host with itself is
 * one flow; the host both sends and receives its bytes.
 *
 * @param firstSeen the smallest {@code end_time} (µs), {@link Long#MAX_VALUE} if none is known
 * @param lastSeen the largest, {@link Long#MIN_VALUE} if none is known
 * @param sent bytes from the host: {@code bytes} as source, {@code reverse_bytes} as destination
 * @param nowFrom start (µs) of "now"; all before is "before"
 * @param peersNow peers with a flow that ended in the latest window
 * @param peersBefore those with one that ended before
 * @param peers addresses on the other side, by bytes both ways, then flows, most first, then by
 *     address; NULL is none
 * @param services by flows, most first, then by protocol, port and side
 * @param scattered the services that are rather the ports of a scan, as groups; they are among the
 *     services, too
 * @param hours by time; flows without {@code end_time} are in none
 * @param warnings damage of sidecars and host directory; the answer stands nevertheless
 */
public record HostSummary(
    IpAddress address,
    long flows,
    long firstSeen,
    long lastSeen,
    BigInteger sent,
    BigInteger received,
    long nowFrom,
    long peersNow,
    long peersBefore,
    List<Peer> peers,
    List<Service> services,
    List<Scattered> scattered,
    List<Hour> hours,
    List<String> warnings) {
  /** One address on the other side. */
  public record Peer(IpAddress address, long flows, BigInteger sent, BigInteger received) {}

  /**
   * One port of a server; it and the protocol are null if unknown. Peers are distinct addresses on
   * the other side, clients if the service is {@code offered} by the host; {@code peersNow} had a
   * flow that ended in the latest window, {@code peersBefore} one that ended before.
   *
   * <p>The server is that of the column {@code server_addr}. Of flows of one direction between
   * ports above 1023 whose flags do not tell, who sent the first packet is the client; if that is
   * not known either, the lower port is the service's, and there is none between two ports from
   * 32768 on: the destination counts as the server.
   */
  public record Service(
      @Nullable Long protocol,
      @Nullable Long port,
      boolean offered,
      long flows,
      BigInteger sent,
      BigInteger received,
      long peers,
      long peersNow,
      long peersBefore) {}

  /** The ports of one protocol and side that had hardly any flows each; else as a service. */
  public record Scattered(
      @Nullable Long protocol,
      boolean offered,
      int ports,
      long lowestPort,
      long highestPort,
      long flows,
      BigInteger sent,
      BigInteger received,
      long peers,
      long peersNow,
      long peersBefore) {
    /** Whether a service is one of them. */
    public boolean holds(Service one) {
      return one.offered() == offered
          && Objects.equals(one.protocol(), protocol)
          && one.port() != null
          && one.flows() <= MOST_FLOWS;
    }
  }

  /** One UTC hour of {@code end_time}. */
  public record Hour(long start, long flows, BigInteger sent, BigInteger received) {}

  /** The most flows of a scattered port. */
  static final int MOST_FLOWS = 3;

  public HostSummary {
    scattered = List.copyOf(scattered);
    peers = List.copyOf(peers);
    services = List.copyOf(services);
    hours = List.copyOf(hours);
    warnings = List.copyOf(warnings);
  }

  /** A number as the powers of two around it, for example {@code 2^10–2^11} for 1024 … 2047. */
  public static String magnitude(BigInteger number) {
    if (number.signum() <= 0) {
      return "0";
    }
    int power = number.bitLength() - 1;
    return "2^" + power + "–2^" + (power + 1);
  }
}
