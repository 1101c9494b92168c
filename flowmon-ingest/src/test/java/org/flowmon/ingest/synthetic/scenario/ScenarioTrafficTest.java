package org.flowmon.ingest.synthetic.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.flowmon.ingest.synthetic.exporter.ExportedRow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.scenario.Scenarios.Labelled;
import org.junit.jupiter.api.Test;

final class ScenarioTrafficTest {
  private static final int AN_ACK = 80;

  private static Scenario scenario(long seed, double perSecond, List<Attack> attacks) {
    return Scenarios.of(seed, perSecond, 0.1, attacks, List.of(), Faults.NONE);
  }

  private static List<ExportedRow> of(List<Labelled> flows, int label) {
    return flows.stream().filter(f -> f.label() == label).map(Labelled::row).toList();
  }

  @Test
  void theSameSeedGivesTheSameFlowsAndAnotherSeedOthers() {
    List<Attack> attacks = Scenarios.everyAttack();
    List<Labelled> flows = Scenarios.flows(scenario(1, 200, attacks));
    assertEquals(flows, Scenarios.flows(scenario(1, 200, attacks)));
    assertNotEquals(flows, Scenarios.flows(scenario(2, 200, attacks)));
  }

  @Test
  void neighbouringSeedsShareNoTraffic() {
    Set<String> flows = new HashSet<>();
    for (Labelled flow : Scenarios.flows(scenario(1, 300, List.of()))) {
      flows.add(flow.row().src() + " " + flow.row().dst() + " " + flow.row().bytes());
    }
    List<Labelled> others = Scenarios.flows(scenario(2, 300, List.of()));
    long shared =
        others.stream()
            .filter(
                f -> flows.contains(f.row().src() + " " + f.row().dst() + " " + f.row().bytes()))
            .count();
    assertTrue(shared < others.size() / 50, shared + " flows of " + others.size());
  }

  @Test
  void anAttackMoreChangesNoOtherFlow() {
    List<Attack> attacks = Scenarios.everyAttack();
    List<Labelled> all = Scenarios.flows(scenario(3, 200, attacks));
    List<Labelled> fewer = Scenarios.flows(scenario(3, 200, attacks.subList(0, 3)));
    assertEquals(fewer, all.stream().filter(f -> f.label() <= 3).toList());
    assertEquals(200 * 60, of(all, 0).size());
  }

  @Test
  void aScenarioCutShortIsThePartUpToItsEnd() {
    Scenario whole = scenario(3, 200, Scenarios.everyAttack());
    Scenario.Run run = whole.run();
    List<Labelled> all = Scenarios.flows(whole);
    for (int seconds : new int[] {2, 20}) {
      Duration shorter = Duration.ofSeconds(seconds);
      List<Labelled> some =
          Scenarios.flows(
              whole.withRun(
                  new Scenario.Run(run.seed(), run.start(), shorter, run.flowsPerSecond())));
      assertEquals(all.subList(0, some.size()), some);
      assertTrue(
          all.get(some.size()).now() >= run.start().plus(shorter).toEpochMilli(), seconds + " s");
    }
  }

  @Test
  void exportsNeverGoBackAndFlowsEndBeforeThem() {
    long last = Scenarios.START.toEpochMilli();
    for (Labelled flow : Scenarios.flows(scenario(4, 300, Scenarios.everyAttack()))) {
      assertTrue(flow.now() >= last, flow + " after " + last);
      assertTrue(flow.row().endMillis() < flow.now(), flow.toString());
      assertTrue(flow.row().startMillis() <= flow.row().endMillis(), flow.toString());
      last = flow.now();
    }
    assertTrue(last < Scenarios.START.toEpochMilli() + 60_000, "the last flow is at " + last);
  }

  @Test
  void aScanTriesEachPortOfEachHostOnce() {
    List<ExportedRow> flows = of(Scenarios.flows(scenario(5, 0, Scenarios.everyAttack())), 1);
    Set<String> tried = new HashSet<>();
    int answers = 0;
    for (ExportedRow flow : flows) {
      if (flow.src().toString().equals("203.0.113.9")) {
        assertTrue(tried.add(flow.dst() + " " + flow.dstPort()), "twice: " + flow);
        assertTrue(flow.dstPort() >= 20 && flow.dstPort() < 120, flow.toString());
      } else {
        answers++;
      }
    }
    assertEquals(8 * 100, tried.size());
    assertTrue(answers > 320 && answers < 480, answers + " of 800 tries were answered");
  }

  @Test
  void aBeaconCallsWithinTheJitterOfItsPeriod() {
    List<Long> calls = new ArrayList<>();
    for (ExportedRow flow : of(Scenarios.flows(scenario(6, 100, Scenarios.everyAttack())), 2)) {
      if (flow.dstPort() == 443) {
        calls.add(flow.endMillis());
      }
    }
    assertTrue(calls.size() >= 21 && calls.size() <= 28, calls.size() + " calls in 50 s");
    for (int i = 1; i < calls.size(); i++) {
      long gap = calls.get(i) - calls.get(i - 1);
      assertTrue(gap >= 1_799 && gap <= 2_201, "a gap of " + gap + " ms");
    }
  }

  @Test
  void aFloodComesAtItsRateFromManySources() {
    List<Labelled> flows = Scenarios.flows(scenario(7, 0, Scenarios.everyAttack()));
    for (int label : new int[] {3, 4, 5}) {
      List<ExportedRow> rows = of(flows, label);
      int expected = 50 * (label == 3 ? 200 : 100);
      assertTrue(
          Math.abs(rows.size() - expected) < 5 * Math.sqrt(expected),
          "attack " + label + ": " + rows.size() + " flows, not about " + expected);
      assertEquals(1, rows.stream().map(ExportedRow::dst).distinct().count());
      Set<String> sources =
          rows.stream().map(row -> row.src().toString()).collect(Collectors.toSet());
      assertTrue(sources.size() > 490 && sources.size() <= 500, sources.size() + " sources");
    }
  }

  @Test
  void aTransferMovesExactlyItsBytes() {
    List<Labelled> flows = Scenarios.flows(scenario(8, 0, Scenarios.everyAttack()));
    long[] expected = {5_000_000_000L, 77_777_777L};
    int[] parts = {3, 7};
    for (int i = 0; i < 2; i++) {
      List<ExportedRow> rows = of(flows, 6 + i);
      assertEquals(2 * parts[i], rows.size());
      String source = i == 0 ? "10.0.1.1" : "203.0.113.4";
      long there = 0;
      for (ExportedRow row : rows) {
        if (row.src().toString().equals(source)) {
          there += row.bytes();
        } else {
          assertEquals(row.packets() * AN_ACK, row.bytes());
        }
      }
      assertEquals(expected[i], there);
    }
  }

  @Test
  void withoutRepetitionNoAddressOrPairOfPortsComesTwice() {
    Scenario base = scenario(9, 2_000, List.of());
    Scenario.Network network =
        new Scenario.Network(
            500, 2_000, 0.8, false, DailySwing.NONE, base.network().conversations());
    Scenario diverse =
        new Scenario("", base.run(), network, List.of(), List.of(), List.of(), Faults.NONE);
    List<Labelled> flows = Scenarios.flows(diverse);
    assertEquals(120_000, flows.size());
    Set<String> addresses = new HashSet<>();
    for (Labelled flow : flows) {
      addresses.add("s" + flow.row().src());
      addresses.add("d" + flow.row().dst());
    }
    assertEquals(240_000, addresses.size());
  }

  @Test
  void theLoadSwingsWithTheDayAndRestsAtTheWeekend() {
    DailySwing swing = new DailySwing(0.6, 14, 0.25);
    long midnight = Scenarios.START.toEpochMilli() - Duration.ofHours(8).toMillis();
    assertEquals(1.6, swing.load(midnight + Duration.ofHours(14).toMillis()), 1e-9);
    assertEquals(0.4, swing.load(midnight + Duration.ofHours(2).toMillis()), 1e-9);
    assertEquals(
        0.4, swing.load(midnight + Duration.ofHours(5 * 24 + 14).toMillis()), 1e-9, "Saturday");
  }
}
