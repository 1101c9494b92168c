package org.flowmon.jobs.analysis;

import static java.util.stream.Collectors.joining;

import java.util.List;
import org.flowmon.jobs.config.YamlDocument;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.enrich.EnrichmentConfig;

/**
 * The variable {@code ${own_networks}}, which every analysis has: the networks of one's own, as a
 * list for {@code addr IN ${own_networks}}.
 */
final class OwnNetworks {
  private static final String VARIABLE = "own_networks";

  /** Private and link-local addresses, if nothing is configured. */
  private static final List<String> PRIVATE =
      List.of(
          "10.0.0.0/8",
          "100.64.0.0/10",
          "172.16.0.0/12",
          "192.168.0.0/16",
          "169.254.0.0/16",
          "fc00::/7",
          "fe80::/10");

  private OwnNetworks() {}

  /** What every analysis is based on, before its own variables and those that it extends. */
  static YamlDocument of(EnrichmentConfig enrichment) {
    List<String> networks = enrichment.inside().isEmpty() ? PRIVATE : enrichment.inside();
    return YamlFile.parseDocument(
        "enrichment.inside",
        networks.stream()
            .collect(
                joining("', '", ExtendedFile.VARIABLES + ": {" + VARIABLE + ": \"('", "')\"}")));
  }
}
