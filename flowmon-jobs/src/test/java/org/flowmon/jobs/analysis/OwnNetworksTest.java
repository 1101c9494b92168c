package org.flowmon.jobs.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ${own_networks}}, and {@code enrichment.inside}, which says what they are. */
class OwnNetworksTest {
  private static final String MINE =
      """
      name: mine
      live:
        query: SELECT src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN ${own_networks} GROUP BY src_addr
        window: 10s
      report: {logic: live}
      """;

  @TempDir private Path folder;
  private EnrichmentConfig configured;

  @BeforeEach
  void configure() throws Exception {
    Path file = folder.resolve("flowmon.yaml");
    Files.writeString(file, "enrichment: {inside: [192.0.2.0/24, '2001:db8::/32']}\n");
    configured = EnrichmentConfig.read(file);
  }

  private Path analysis(String text) throws Exception {
    Files.createDirectories(folder.resolve("analyses"));
    return Files.writeString(folder.resolve("analyses").resolve("mine.yaml"), text);
  }

  private static String networks(AnalysisConfig analysis) {
    String query = analysis.live().query();
    return query.substring(query.indexOf("IN (") + 3, query.indexOf(" GROUP"));
  }

  @Test
  void withoutAConfigurationPrivateAddressesAreOnesOwn() throws Exception {
    assertEquals(
        "('10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16',"
            + " 'fc00::/7', 'fe80::/10')",
        networks(AnalysisConfig.read(analysis(MINE))));
  }

  @Test
  void theConfiguredNetworksAreThoseOfEveryAnalysis() throws Exception {
    String expected = "('192.0.2.0/24', '2001:db8::/32')";
    Path file = analysis(MINE);
    assertEquals(expected, networks(AnalysisConfig.read(file, configured)));
    List<AnalysisConfig> all = AnalysisConfig.readFolder(folder.resolve("analyses"), configured);
    assertEquals(expected, networks(all.get(0)));
    AnalysisConfig bundled =
        AnalysisConfig.read(analysis("name: mine\nextends: dark_space\n"), configured);
    assertTrue(bundled.live().query().contains("AND dst_addr IN " + expected), bundled.toString());
  }

  @Test
  void anAnalysisMayHaveOtherOnes() throws Exception {
    Path file = analysis(MINE + "variables: {own_networks: \"('203.0.113.0/24')\"}\n");
    assertEquals("('203.0.113.0/24')", networks(AnalysisConfig.read(file, configured)));
    assertEquals("('203.0.113.0/24')", networks(AnalysisConfig.read(file)));
  }

  @Test
  void theTextThatIsSentToAJobNamesThem() throws Exception {
    Path file = analysis(MINE);
    String sent = AnalysisConfig.wholeTextOf(file, configured);
    assertEquals(
        AnalysisConfig.read(file, configured), AnalysisConfig.parse("analysis mine", sent));
    assertEquals(MINE, AnalysisConfig.wholeTextOf(file), "without a configuration as it is");
    Path plain = analysis(MINE.replace("${own_networks}", "'192.0.2.7'"));
    sent = AnalysisConfig.wholeTextOf(plain, configured);
    assertTrue(!sent.contains("own_networks"), sent);
    assertEquals(AnalysisConfig.read(plain), AnalysisConfig.parse("analysis mine", sent));
  }

  @Test
  void noFileThatComesAlongHasAListOfItsOwn() {
    int readers = 0;
    for (String name : AnalysisConfig.names()) {
      String text = AnalysisConfig.textOf(name);
      assertTrue(!text.contains("fc00::/7") && !text.contains("10.0.0.0/8"), name);
      readers += text.contains("${own_networks}") ? 1 : 0;
    }
    assertEquals(8, readers);
  }

  @Test
  void aWrongNetworkIsNamedWithItsPlace() throws Exception {
    Path file = folder.resolve("wrong.yaml");
    Files.writeString(file, "enrichment:\n  inside: [10.0.0.0/8, office]\n");
    ConfigException e = assertThrows(ConfigException.class, () -> EnrichmentConfig.read(file));
    assertEquals(
        file + ":2: enrichment.inside: expected a network such as 192.0.2.0/24, found 'office'",
        e.getMessage());
  }
}
