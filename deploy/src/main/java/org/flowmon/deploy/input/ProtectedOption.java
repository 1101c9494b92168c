package org.flowmon.deploy.input;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import picocli.CommandLine.Option;

/** {@code --protected}: the networks of one's own. */
public final class ProtectedOption {
  @Option(
      names = "--protected",
      paramLabel = "NETWORK",
      description =
          "A network that is protected: flows begun in one are outgoing. May be repeated. FILE.yaml"
              + " stands for those of enrichment.inside in a job's configuration.")
  private List<String> networks = List.of();

  /** None if none is given; throws {@link UsageException} naming a wrong one. */
  public ProtectedNetworks networks() {
    List<String> all = new ArrayList<>();
    try {
      for (String network : networks) {
        all.addAll(isFile(network) ? configured(network) : List.of(network));
      }
      return all.isEmpty() ? ProtectedNetworks.NONE : ProtectedNetworks.parse(all);
    } catch (IllegalArgumentException | ConfigException e) {
      throw new UsageException("--protected: " + e.getMessage());
    }
  }

  private static boolean isFile(String network) {
    return network.endsWith(".yaml") || network.endsWith(".yml");
  }

  private static List<String> configured(String file) {
    List<String> inside = EnrichmentConfig.read(Path.of(file)).inside();
    if (inside.isEmpty()) {
      throw new UsageException(
          "--protected: " + file + " has no enrichment.inside: expected a list of networks");
    }
    return inside;
  }
}
