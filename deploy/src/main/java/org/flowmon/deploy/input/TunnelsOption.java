package org.flowmon.deploy.input;

import java.util.Arrays;
import java.util.Locale;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import picocli.CommandLine.Option;

/** {@code --tunnels}: which IP header of a packet in a tunnel its flow is of. */
public final class TunnelsOption {
  @Option(
      names = "--tunnels",
      paramLabel = "inner|outer",
      defaultValue = "inner",
      description =
          "Of sampled or captured packets in tunnels, take flows from the innermost IP header that"
              + " is complete with its ports, or from the outer one; default ${DEFAULT-VALUE}.")
  private String tunnels = TunnelHeaders.INNER.label();

  /** The choice, or a usage error. */
  public TunnelHeaders headers() {
    return Arrays.stream(TunnelHeaders.values())
        .filter(choice -> choice.label().equals(tunnels.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () -> new UsageException("--tunnels " + tunnels + ": expected inner or outer"));
  }
}
