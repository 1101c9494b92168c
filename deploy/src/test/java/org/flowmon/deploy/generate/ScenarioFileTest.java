package org.flowmon.deploy.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.scenario.Beacon;
import org.flowmon.ingest.synthetic.scenario.Behaviour;
import org.flowmon.ingest.synthetic.scenario.Scenario;
import org.flowmon.jobs.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ScenarioFileTest {
  private static Scenario parse(String text) {
    return ScenarioFile.parse("x.yaml", text);
  }

  @Test
  void everyKeyHasADefault() {
    Scenario scenario = parse("{}");
    assertEquals(Duration.ofMinutes(10), scenario.run().duration());
    assertEquals(1000, scenario.run().flowsPerSecond());
    assertEquals(Faults.NONE, scenario.faults());
    assertEquals(1, scenario.routers().size());
    assertEquals(SourceKind.IPFIX, scenario.routers().get(0).version());
    assertTrue(scenario.attacks().isEmpty());
  }

  @Test
  void bundledScenariosAreRightAndDescribed() {
    for (String name : ScenarioFile.BUNDLED) {
      Scenario scenario = ScenarioFile.of(name);
      assertFalse(scenario.description().isBlank(), name);
      assertEquals(scenario, parse(ScenarioFile.textOf(name)), name);
    }
  }

  @Test
  void partiesThatAreNotGivenFollowFromTheSeed() {
    String text = "seed: %d\nattacks: [{type: beacon}, {type: ddos}, {type: scan}]";
    assertEquals(parse(text.formatted(4)).attacks(), parse(text.formatted(4)).attacks());
    assertFalse(parse(text.formatted(4)).attacks().equals(parse(text.formatted(5)).attacks()));
    Beacon beacon = (Beacon) parse(text.formatted(4)).attacks().get(0);
    assertTrue(beacon.source().toString().startsWith("10.0."), beacon.toString());
    assertTrue(beacon.target().toString().startsWith("203.0.113."), beacon.toString());
    assertEquals("beacon_1", beacon.when().name());
  }

  @Test
  void anAttackThatIsABehaviourHasItsKeysAndDefaults() {
    Behaviour guesses =
        (Behaviour)
            parse("attacks: [{type: brute_force, every: 1m, reply: 2k..5M}]").attacks().get(0);
    assertEquals("brute_force", guesses.type());
    assertEquals(Behaviour.Rhythm.PERIODIC, guesses.pace().rhythm());
    assertEquals(Duration.ofMinutes(1), guesses.pace().every());
    assertEquals(List.of(22), guesses.talk().ports());
    assertEquals(new Behaviour.Range(2_000, 5_000_000), guesses.talk().reply());
    assertTrue(guesses.servers().first().toString().startsWith("10.0."), guesses.toString());
    Behaviour mine = parse("behaviours: [{to: 10.0.9.0/30, to_hosts: 4}]").behaviours().get(0);
    assertEquals(4, mine.servers().hosts());
    assertEquals("behaviour_1", mine.when().name());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "flows_per_seconds: 5 | 1: flows_per_seconds: is not a key here | did you mean"
            + " 'flows_per_second'",
        "flows_per_second: fast | 1: flows_per_second: | 0…10000000, found 'fast'",
        "duration: 0s | 1: duration: expected more than nothing | found 0d",
        "start: today | 1: start: | such as 2026-01-05T08:00:00Z, found 'today'",
        "network: {ipv6: 1.5} | 1: network.ipv6: | a number 0…1, found '1.5'",
        "network: {inside_hosts: 0} | network.inside_hosts: | 1…65536, found '0'",
        "network: {bytes: {smallest: 900, largest: 800}} | network.bytes.largest: | which is 900",
        "services: [{protocol: sctp}] | services[1].protocol: | tcp, udp, icmp, found 'sctp'",
        "attacks: [{type: worm}] | attacks[1].type: | scan, beacon, ddos, exfiltration, elephant",
        "attacks: [{begin: 10m}] | attacks[1].begin: | duration of 10m, found 10m",
        "attacks: [{begin: 9m, duration: 2m}] | attacks[1].duration: | at most 1m, found 2m",
        "attacks: [{source: me}] | attacks[1].source: | an IP address, found 'me'",
        "attacks: [{name: a}, {name: a}] | attacks[2].name: | another attack's name",
        "attacks: [{source: '2001:db8::1', target: 10.0.0.1}] | target: | family of source",
        "behaviours: [{from: nowhere}] | behaviours[1].from: | unused, an address or a prefix",
        "behaviours: [{from_hosts: 3000}] | behaviours[1].from_hosts: | on, found '3000'",
        "behaviours: [{port: '80,x'}] | behaviours[1].port: | 22,8000..8100, found 'x'",
        "behaviours: [{flows: 9..3}] | behaviours[1].flows: | found '9..3'",
        "behaviours: [{lasts: long}] | behaviours[1].lasts: | 50ms..10s, found 'long'",
        "behaviours: [{unanswered: 0.6, refused: 0.6}] | behaviours[1].refused: | at most 1",
        "behaviours: [{from: '::1'}] | behaviours[1].to: | of the family of from",
        "behaviours: [{kind: x}] | behaviours[1].kind: | is not a key here; expected one of name",
        "attacks: [{type: brute_force, hosts: 3}] | attacks[1].hosts: | is not a key here",
        "routers: [{protocol: netflow_v7}] | routers[1].protocol: | netflow_v5, netflow_v9, ipfix,"
            + " sflow",
        "routers: [{protocol: netflow_v5}] | routers: all are netflow_v5 | ipv6: 0",
        "routers: [{sampling: 20000}] | routers[1].sampling: | 1…16383, found '20000'",
        "routers: [{clock_skew: late}] | routers[1].clock_skew: | -2s, found 'late'",
        "routers: [{address: '::1'}] | routers[1].address: | an IPv4 address, found '::1'",
        "faults: {loss: 2} | faults.loss: | a number 0…1, found '2'"
      })
  void errorsNameKeyValueAndWhatIsAllowed(String text, String key, String rest) {
    ConfigException e = assertThrows(ConfigException.class, () -> parse(text));
    assertTrue(e.getMessage().contains(key), e.getMessage());
    assertTrue(e.getMessage().contains(rest), e.getMessage());
    assertTrue(e.getMessage().startsWith("x.yaml:1: "), e.getMessage());
  }
}
