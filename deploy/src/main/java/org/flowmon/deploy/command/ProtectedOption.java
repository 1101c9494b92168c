package org.flowmon.deploy.command;

import java.util.List;
import org.flowmon.ingest.ProtectedNetworks;
import picocli.CommandLine.Option;

/** {@code --protected}: the networks of one's own. */
public final class ProtectedOption {
  @Option(
      names = "--protected",
      paramLabel = "NETWORK",
      description =
          "A network that is protected: flows begun in one are outgoing. May be repeated.")
  private List<String> networks = List.of();

  /** None if none is given; throws {@link UsageException} naming a wrong one. */
  public ProtectedNetworks networks() {
    try {
      return networks.isEmpty() ? ProtectedNetworks.NONE : ProtectedNetworks.parse(networks);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--protected: " + e.getMessage());
    }
  }
}
