package org.flowmon.ingest.meter;

import java.util.Optional;
import org.flowmon.ingest.decode.packet.TunnelHeaders;

/**
 * How packets are read, sampled ones and those of captures.
 *
 * @param tunnels which header of a packet in a tunnel its flow is of
 * @param meter how flows are made of a capture's packets; empty: a capture holds exports
 */
public record PacketReading(TunnelHeaders tunnels, Optional<MeterOptions> meter) {
  public static final PacketReading DEFAULTS =
      new PacketReading(TunnelHeaders.INNER, Optional.empty());
}
