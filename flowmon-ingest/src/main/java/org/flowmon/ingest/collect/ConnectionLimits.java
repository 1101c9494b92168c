package org.flowmon.ingest.collect;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.decode.exporter.Exporter;

/**
 * Bounds of a {@link TcpCollector}. Connections of TCP and of TLS are counted apart, and so are
 * TLS's handshakes: who never ends one takes no connection's place. An address of IPv4 or a /64 of
 * IPv6 is one peer.
 *
 * @param connections at a time
 * @param handshakes at a time; the oldest gives way to a newer one
 * @param ofAddress of connections and of handshakes, from one peer
 * @param handshake how long one may take
 * @param message how long a message may take from its first byte
 * @param idle how long a connection may be silent
 */
public record ConnectionLimits(
    int connections,
    int handshakes,
    int ofAddress,
    Duration handshake,
    Duration message,
    Duration idle) {

  /**
   * As many handshakes as connections, a quarter of both from one address, 10 s for a handshake, 30
   * for a message, 10 minutes of silence.
   */
  public static ConnectionLimits of(int connections) {
    return new ConnectionLimits(
        connections,
        connections,
        Math.max(1, connections / 4),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofMinutes(10));
  }

  /** Whether there is no room for one more connection beside the open ones of its kind. */
  boolean areTooMany(List<IpAddress> open, IpAddress peer) {
    Exporter.Source source = Exporter.Source.of(peer);
    long ofPeer = open.stream().filter(one -> Exporter.Source.of(one).equals(source)).count();
    return open.size() >= connections || ofPeer >= ofAddress;
  }

  /**
   * Which handshake gives way to another one of the peer: its own oldest if it has its share, else
   * the oldest of all if there is no room. So one address cannot keep out the others.
   *
   * @param open peers of the handshakes under way, the oldest first
   */
  OptionalInt displaced(List<IpAddress> open, IpAddress peer) {
    Exporter.Source source = Exporter.Source.of(peer);
    int first = -1;
    int own = 0;
    for (int i = open.size() - 1; i >= 0; i--) {
      if (Exporter.Source.of(open.get(i)).equals(source)) {
        first = i;
        own++;
      }
    }
    if (own >= ofAddress) {
      return OptionalInt.of(first);
    }
    return open.size() >= handshakes ? OptionalInt.of(0) : OptionalInt.empty();
  }
}
