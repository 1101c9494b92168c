package org.flowmon.jobs.enrich;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;
import org.flowmon.udaf.enrich.ExporterTexts;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** CSV files of names, and rules over these. */
class NameFilesTest {
  private static final IpAddress ROUTER = IpAddress.parse("10.0.0.1");

  @Test
  void theSmallestNetworkAroundAnAddressNamesIt() {
    Lookup networks =
        NameTables.networks(
            """
            # with a comment, a byte order mark is allowed, too
            name , network,more
            office,10.0.0.0/8,x
            "lab ""A"", 2",10.1.0.0/16,

            ,10.1.2.0/24,none
            one,192.0.2.7,
            six,2001:db8::/32,
            six,2001:db9::/32,\r
            """
                .getBytes(UTF_8));
    assertEquals("office", MmdbFileTest.text(networks, IpAddress.parse("10.9.9.9")));
    assertEquals("lab \"A\", 2", MmdbFileTest.text(networks, IpAddress.parse("10.1.9.9")));
    assertEquals(null, MmdbFileTest.text(networks, IpAddress.parse("10.1.2.9")));
    assertEquals("one", MmdbFileTest.text(networks, IpAddress.parse("192.0.2.7")));
    assertEquals(null, MmdbFileTest.text(networks, IpAddress.parse("192.0.2.8")));
    assertEquals("six", MmdbFileTest.text(networks, IpAddress.parse("2001:db9::1")));
    assertEquals(null, MmdbFileTest.text(networks, IpAddress.parse("2001:dba::1")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          network,nom|1: the line of names has no name; expected network,name, found network,nom
          network,name~10.0.0.0/33,x|2: expected a network such as 192.0.2.0/24, found '10.0.0.0/33'
          network,name~~10.0.0.0/8|3: expected at least 2 fields, found 1
          network,name~10.0.0.0/8,"a|2: a quote is not closed in this line
          network,name~10.0.0.0/8,a~10.1.0.0/8,b|3: network 10.0.0.0/8 is in line 2, too; expected it once
          ~|1: expected a line of names: network,name
          """)
  void anErrorNamesItsLine(String csv, String message) {
    EnrichmentException e =
        assertThrows(
            EnrichmentException.class,
            () -> NameTables.networks(csv.replace("~", "\n").getBytes(UTF_8)));
    assertEquals(message, e.getMessage());
  }

  @Test
  void mutatedFilesAreReadOrRefusedAndNothingElse() {
    long seed = 12;
    Random random = new Random(seed);
    byte[] whole =
        "exporter,index,name,description\n10.0.0.1,1,xe-0,\"Transit: A\"\n::1,70000,b,c\n"
            .getBytes(UTF_8);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = whole.clone();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        NameTables.interfaces(bytes);
        NameTables.networks(bytes);
      } catch (EnrichmentException e) {
        assertTrue(e.getMessage().length() > 5);
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ", round " + round, e);
      }
    }
  }

  private static final String RULES =
      """
      exporters:
        - name: '^([a-z]{3})[0-9]*-edge'
          set: {site: $1, role: edge}
        - name: '.'
          set: {role: core, site: other}
      interfaces:
        - exporter: edge
          name: '^Transit: (\\w+)'
          set: {boundary: external, connectivity: transit, provider: $1}
        - name: '^xe'
          set: {boundary: internal}
      """;

  private static String text(
      Map<Table, Lookup> tables, Table table, IpAddress exporter, long index) {
    Vector exporters = new Vector(ValueKind.ADDRESS);
    exporters.requireHigh()[0] = exporter.hi();
    exporters.values()[0] = exporter.lo();
    exporters.setAllValid(1);
    Vector indexes = new Vector(ValueKind.LONG);
    indexes.values()[0] = index;
    indexes.setAllValid(1);
    Vector out = new Vector(ValueKind.TEXT);
    tables.get(table).fill(new Vector[] {exporters, indexes}, 1, out);
    return out.isValid(0) ? out.requireTexts()[0] : null;
  }

  @Test
  void theFirstRuleThatSetsAClassDecidesIt() {
    IpAddress core = IpAddress.parse("2001:db8::1");
    Map<ExporterTexts.Key, NameTables.Interface> interfaces = new HashMap<>();
    interfaces.put(
        new ExporterTexts.Key(ROUTER, 1), new NameTables.Interface("xe-0", "Transit: Cogent"));
    interfaces.put(new ExporterTexts.Key(ROUTER, 2), new NameTables.Interface("xe-1", ""));
    interfaces.put(
        new ExporterTexts.Key(core, 1), new NameTables.Interface("et-1", "Transit: Cogent"));
    Map<Table, Lookup> tables =
        ClassRules.parse("rules.yaml", RULES)
            .tables(Map.of(ROUTER, "fra1-edge", core, "ber2"), interfaces);
    assertEquals("fra", text(tables, Table.EXPORTER_SITE, ROUTER, 0));
    assertEquals("edge", text(tables, Table.EXPORTER_ROLE, ROUTER, 0));
    assertEquals("other", text(tables, Table.EXPORTER_SITE, core, 0));
    assertEquals("Cogent", text(tables, Table.IF_PROVIDER, ROUTER, 1));
    assertEquals("external", text(tables, Table.IF_BOUNDARY, ROUTER, 1));
    assertEquals("internal", text(tables, Table.IF_BOUNDARY, ROUTER, 2));
    assertEquals(null, text(tables, Table.IF_BOUNDARY, core, 1)); // not of an edge
    assertEquals(null, text(tables, Table.IF_PROVIDER, ROUTER, 2));
  }

  @Test
  void aGroupThatIsNotThereLeavesTheClassToLaterRules() {
    String rules =
        "exporters: [{name: '(x)?a', set: {site: '$\u0663', role: $1}}, {name: a, set: {role: b}}]";
    Map<Table, Lookup> tables =
        ClassRules.parse("rules.yaml", rules).tables(Map.of(ROUTER, "a"), Map.of());
    assertEquals("b", text(tables, Table.EXPORTER_ROLE, ROUTER, 0));
    // A digit of another script names no group.
    assertEquals("$\u0663", text(tables, Table.EXPORTER_SITE, ROUTER, 0));
  }

  @Test
  void theWorkOfTheRulesIsBoundedForAllNamesTogether() {
    Map<IpAddress, String> names = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      names.put(IpAddress.ofIpv4(i), "edge" + i);
    }
    ClassRules rules = ClassRules.parse("rules.yaml", "exporters: [{name: 'x', set: {role: y}}]");
    assertTrue(rules.tables(names, Map.of(), 100_000).isEmpty());
    EnrichmentException e =
        assertThrows(EnrichmentException.class, () -> rules.tables(names, Map.of(), 10_000));
    assertTrue(
        e.getMessage().startsWith("the rules take too long on all names together, at exporters[1]"),
        e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "exporters: [{name: '(', set: {role: x}}]|exporters[1].name: is no regular expression",
        "exporters: [{name: x, set: {boundary: x}}]|'boundary' is no class; expected one of",
        "interfaces: [{name: x, set: {boundary: $1}}]|the name's expression has no group 1",
        "interfaces: [{set: {boundary: x}}]|interfaces[1].name: is missing",
        "interfaces: [{name: x}]|interfaces[1].set: is missing",
        "interface: [{name: x}]|is not a key here"
      })
  void anErrorInARuleNamesItsPlace(String yamlAndMessage) {
    String yaml = yamlAndMessage.substring(0, yamlAndMessage.indexOf('|'));
    String message = yamlAndMessage.substring(yaml.length() + 1);
    ConfigException e =
        assertThrows(ConfigException.class, () -> ClassRules.parse("rules.yaml", yaml));
    assertTrue(e.getMessage().startsWith("rules.yaml:1: "), e.getMessage());
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void anExpressionThatIsNestedTooDeeplyIsRefused() {
    String deep = "(".repeat(1000) + ")".repeat(1000);
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () ->
                ClassRules.parse(
                    "rules.yaml", "exporters: [{name: '" + deep + "', set: {role: x}}]"));
    assertTrue(e.getMessage().contains("expected at most 1000 characters"), e.getMessage());
    ClassRules.parse(
        "rules.yaml", "exporters: [{name: '" + deep.substring(500, 1500) + "', set: {role: x}}]");
  }

  @Test
  void anExpressionThatBacktracksWithoutEndIsStopped() {
    ClassRules rules =
        ClassRules.parse(
            "rules.yaml", "exporters: [{name: '^.*a.*a.*a.*a.*a.*b$', set: {role: x}}]");
    EnrichmentException e =
        assertThrows(
            EnrichmentException.class,
            () -> rules.tables(Map.of(ROUTER, "a".repeat(200)), Map.of()));
    assertTrue(e.getMessage().startsWith("exporters[1] takes too long on 'aaa"), e.getMessage());
  }

  @Test
  void namesOfPortsReplaceKnownOnes() {
    Lookup ports =
        NameTables.ports(
            "protocol,port,name\ntcp,443,web\n17,5000,ours\ntcp,80,\n".getBytes(UTF_8));
    Vector protocols = new Vector(ValueKind.LONG);
    Vector numbers = new Vector(ValueKind.LONG);
    long[][] cases = {{6, 443}, {17, 5000}, {6, 22}, {17, 64_999}, {6, 80}};
    for (int i = 0; i < cases.length; i++) {
      protocols.values()[i] = cases[i][0];
      numbers.values()[i] = cases[i][1];
    }
    protocols.setAllValid(5);
    numbers.setAllValid(5);
    Vector out = new Vector(ValueKind.TEXT);
    ports.fill(new Vector[] {protocols, numbers}, 5, out);
    assertEquals("web", out.requireTexts()[0]);
    assertEquals("ours", out.requireTexts()[1]);
    assertEquals("ssh", out.requireTexts()[2]);
    assertEquals(false, out.isValid(3));
    assertEquals(false, out.isValid(4)); // an empty name is none
  }
}
