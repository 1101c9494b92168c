package org.flowmon.jobs.enrich;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;
import org.flowmon.udaf.enrich.ExporterTexts;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The file of rules for directions and duplicates. */
class TrafficRulesTest {
  private static final String RULES =
      """
      inside: [10.0.0.0/8, 10.1.0.0/16, 10.0.0.0/8, 2001:db8::/32]
      direction: [interfaces, networks]
      duplicates:
        - networks: [10.1.0.0/16]
          count: {exporters: [192.0.2.1, 192.0.2.64/26]}
        - from: [outside]
          count: {in_boundary: external, flow_direction: ingress}
        - from: [inside]
          to: [inside]
          count: {flow_direction: egress}
      """;

  private static final ExporterTexts CLASSES =
      new ExporterTexts(
          true,
          Map.of(
              new ExporterTexts.Key(IpAddress.parse("192.0.2.1"), 1), "external",
              new ExporterTexts.Key(IpAddress.parse("192.0.2.1"), 2), "internal"));

  private static Vector address(String text) {
    Vector vector = new Vector(ValueKind.ADDRESS);
    IpAddress address = IpAddress.parse(text);
    vector.requireHigh()[0] = address.hi();
    vector.values()[0] = address.lo();
    vector.setAllValid(1);
    return vector;
  }

  private static Vector number(long value) {
    Vector vector = new Vector(ValueKind.LONG);
    vector.values()[0] = value;
    vector.setAllValid(1);
    return vector;
  }

  private static String ask(
      String exporter, long in, long out, String source, String destination, long direction) {
    Map<Table, Lookup> tables = TrafficRules.parse("t.yaml", RULES, List.of()).tables(CLASSES);
    Vector[] keys = {
      address(exporter),
      number(in),
      number(out),
      address(source),
      address(destination),
      number(direction)
    };
    Vector way = new Vector(ValueKind.TEXT);
    tables.get(Table.TRAFFIC_DIRECTION).fill(keys, 1, way);
    Vector duplicate = new Vector(ValueKind.BOOLEAN);
    tables.get(Table.DUPLICATE).fill(keys, 1, duplicate);
    return way.requireTexts()[0] + (duplicate.values()[0] == 1 ? " duplicate" : "");
  }

  @Test
  void theFirstRuleThatIsForAFlowDecides() {
    assertEquals("in", ask("192.0.2.1", 1, 2, "192.0.2.99", "10.2.0.1", 0));
    assertEquals("in duplicate", ask("192.0.2.1", 1, 2, "192.0.2.99", "10.2.0.1", 1));
    assertEquals("in duplicate", ask("192.0.2.2", 1, 2, "192.0.2.99", "10.2.0.1", 0));
    assertEquals("out", ask("192.0.2.100", 7, 7, "10.1.0.1", "192.0.2.99", 0));
    assertEquals("out duplicate", ask("192.0.2.2", 7, 7, "10.1.0.1", "192.0.2.99", 0));
    assertEquals("internal duplicate", ask("192.0.2.2", 7, 7, "10.2.0.1", "2001:db8::1", 0));
    assertEquals("internal", ask("192.0.2.2", 7, 7, "10.2.0.1", "2001:db8::1", 1));
    assertEquals("out", ask("192.0.2.2", 7, 7, "10.2.0.1", "2001:db9::1", 0)); // of no rule
    assertEquals("out", ask("192.0.2.1", 2, 1, "10.2.0.1", "10.2.0.2", 1)); // by its interfaces
  }

  @Test
  void networksMayLieInOneAnotherAsDeepAsTheyLike() {
    StringBuilder inside = new StringBuilder();
    for (int bits = 0; bits <= 128; bits++) {
      inside.append(bits == 0 ? "" : ", ").append("'::/").append(bits).append("'");
    }
    TrafficRules.parse(
        "t.yaml", "inside: [" + inside + ", 0.0.0.0/0]\ndirection: [networks]", List.of());
  }

  @Test
  void aThousandRulesWithTablesOfTheirOwnTakeLittleMemory() {
    StringBuilder rules = new StringBuilder("inside: [10.0.0.0/8]\nduplicates:\n");
    for (int rule = 0; rule < 1000; rule++) {
      String network = "[10." + rule / 256 + "." + rule % 256 + ".0/24]";
      rules.append("  - {from: ").append(network).append(", to: ").append(network);
      rules.append(", networks: [inside], count: {exporters: ").append(network).append("}}\n");
    }
    String text = rules.toString();
    var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = thread.getCurrentThreadAllocatedBytes();
    TrafficRules.parse("t.yaml", text, List.of());
    long bytes = thread.getCurrentThreadAllocatedBytes() - before;
    assertTrue(bytes < 200 << 20, bytes + " bytes");
  }

  @Test
  void rulesWithBoundariesNeedClasses() {
    for (String rules :
        List.of(
            "direction: [interfaces]",
            "duplicates: [{count: {in_boundary: x}}]",
            "duplicates: [{count: {out_boundary: x}}]")) {
      assertTrue(TrafficRules.parse("t.yaml", rules, List.of()).needsClasses(), rules);
    }
    String networks = "inside: [10.0.0.0/8]\ndirection: [networks]";
    assertTrue(!TrafficRules.parse("t.yaml", networks, List.of()).needsClasses());
  }

  /** Which way a flow from 10.0.0.1 to 192.0.2.99 goes. */
  private static String direction(String rules, List<String> configured) {
    Vector[] keys = {
      address("192.0.2.1"),
      number(1),
      number(2),
      address("10.0.0.1"),
      address("192.0.2.99"),
      number(0)
    };
    Vector way = new Vector(ValueKind.TEXT);
    TrafficRules.parse("t.yaml", rules, configured)
        .tables(CLASSES)
        .get(Table.TRAFFIC_DIRECTION)
        .fill(keys, 1, way);
    return way.requireTexts()[0];
  }

  @Test
  void withoutNetworksInTheFileTheConfiguredOnesAreInside() {
    String rules = "direction: [networks]";
    assertEquals("out", direction(rules, List.of("10.0.0.0/8")));
    assertEquals("in", direction(rules, List.of("192.0.2.0/24")));
    assertEquals("in", direction("inside: [192.0.2.0/24]\n" + rules, List.of("10.0.0.0/8")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "direction: [addresses]|direction: expected interfaces, networks, flow_direction, found",
        "direction: [networks]|direction: networks tell it only with inside: [network, …]",
        "inside: [10.0.0.0/33]|inside: expected an address or a network such as 192.0.2.0/24",
        "duplicates: [{from: [inside], count: {exporters: [10.0.0.1]}}]|'inside' needs inside:",
        "duplicates: [{to: [10.0.0.0/8]}]|duplicates[1].count: is missing",
        "duplicates: [{count: {}}]|duplicates[1].count: is empty; expected exporters, in_boundary",
        "duplicates: [{count: {flow_direction: in}}]|expected ingress or egress, found 'in'",
        "duplicates: [{count: {boundary: x}}]|boundary: is not a key here",
        "inside: ['::/0']\nduplicates: [{from: [inside, outside]}]|expected inside or outside alone"
      })
  void anErrorInARuleNamesItsPlace(String yamlAndMessage) {
    String yaml = yamlAndMessage.substring(0, yamlAndMessage.indexOf('|'));
    String message = yamlAndMessage.substring(yaml.length() + 1);
    ConfigException e =
        assertThrows(ConfigException.class, () -> TrafficRules.parse("t.yaml", yaml, List.of()));
    assertTrue(e.getMessage().startsWith("t.yaml:"), e.getMessage());
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }
}
