package org.flowmon.archive.host;

import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.enrich.FlowRoles;
import org.jspecify.annotations.Nullable;

/**
 * Flows of one direction each between two ports, of which the ports do not say whose is the
 * service. A flow may tell it by its flags; else who sent the first packet is the client.
 */
final class Conversation {
  /** Between a host's port and a peer's. */
  record Ends(@Nullable IpAddress peer, @Nullable Long protocol, long own, long other) {}

  /** Whose the service is. */
  enum Server {
    HOST,
    PEER,
    UNKNOWN
  }

  private Server told = Server.UNKNOWN;
  private long sent = Long.MAX_VALUE; // the first packet
  private long received = Long.MAX_VALUE;

  /** {@code began}: when the first packet was sent (µs), {@link Long#MAX_VALUE} if unknown. */
  void add(long role, boolean isDestination, long began) {
    if ((role & FlowRoles.GUESSED) == 0) {
      boolean isHost = isDestination == ((role & FlowRoles.REVERSED) == 0);
      told = told == Server.UNKNOWN ? isHost ? Server.HOST : Server.PEER : told;
    } else if (isDestination) {
      received = Math.min(received, began);
    } else {
      sent = Math.min(sent, began);
    }
  }

  Server server() {
    boolean isTimed = sent != received && sent < Long.MAX_VALUE && received < Long.MAX_VALUE;
    return told != Server.UNKNOWN || !isTimed ? told : received < sent ? Server.HOST : Server.PEER;
  }
}
