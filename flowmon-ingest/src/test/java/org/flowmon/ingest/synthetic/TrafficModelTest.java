package org.flowmon.ingest.synthetic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.ingest.synthetic.exporter.ExportEncoderTest;
import org.flowmon.ingest.synthetic.exporter.ExportedRow;
import org.junit.jupiter.api.Test;

final class TrafficModelTest {
  private static final long NOW = ExportEncoderTest.NOW;
  private static final long SEED = 42;

  private static List<ExportedRow> live(
      long seed, TrafficOptions options, int flows, int flowsPerMilli) {
    FlowStream stream = new TrafficModel(seed, options).live(NOW);
    SyntheticFlow flow = new SyntheticFlow();
    List<ExportedRow> rows = new ArrayList<>();
    for (int i = 0; i < flows; i++) {
      stream.next(NOW + i / flowsPerMilli, flow);
      rows.add(ExportedRow.of(flow));
    }
    return rows;
  }

  @Test
  void theSameSeedGivesTheSameFlowsAndAnotherSeedOthers() {
    TrafficOptions options = TrafficOptions.defaults();
    assertEquals(live(1, options, 20_000, 1), live(1, options, 20_000, 1));
    assertNotEquals(live(1, options, 100, 1), live(2, options, 100, 1));
  }

  @Test
  void neighbouringSeedsShareNoTraffic() {
    Set<String> flows = new HashSet<>();
    for (ExportedRow r : live(1, TrafficOptions.defaults(), 20_000, 1)) {
      flows.add(r.src() + " " + r.dst() + " " + r.bytes());
    }
    List<ExportedRow> others = live(2, TrafficOptions.defaults(), 20_000, 1);
    long shared =
        others.stream()
            .filter(r -> flows.contains(r.src() + " " + r.dst() + " " + r.bytes()))
            .count();
    assertTrue(shared < others.size() / 50, shared + " of " + others.size());
  }

  @Test
  void sharesAreThoseOfTheOptions() {
    List<ExportedRow> rows = live(SEED, TrafficOptions.defaults(), 200_000, 20);
    double n = rows.size();
    assertEquals(0.1, rows.stream().filter(r -> !r.src().isIpv4()).count() / n, 0.01);
    assertEquals(0.66, rows.stream().filter(r -> r.protocol() == 6).count() / n, 0.05);
    assertEquals(0.31, rows.stream().filter(r -> r.protocol() == 17).count() / n, 0.05);
    assertTrue(rows.stream().anyMatch(r -> r.protocol() == 1));
    assertTrue(rows.stream().anyMatch(r -> r.protocol() == 58));
    List<Long> bytes =
        rows.stream().map(ExportedRow::bytes).sorted(Comparator.reverseOrder()).toList();
    long all = bytes.stream().mapToLong(b -> b).sum();
    long top = bytes.subList(0, rows.size() / 10).stream().mapToLong(b -> b).sum();
    assertTrue(top > 0.6 * all, "the heaviest tenth has " + 100 * top / all + " % of the bytes");
    for (ExportedRow r : rows) {
      assertTrue(
          r.packets() >= 1 && r.bytes() >= 28 * r.packets() && r.bytes() <= 1500 * r.packets(),
          r::toString);
      assertTrue(r.startMillis() <= r.endMillis(), r::toString);
    }
  }

  @Test
  void exactlyOnePartyIsInside() {
    List<IpPrefix> inside = TrafficModel.protectedNetworks();
    for (ExportedRow r : live(SEED, TrafficOptions.defaults(), 100_000, 2)) {
      assertNotEquals(isIn(inside, r.src()), isIn(inside, r.dst()), r::toString);
    }
  }

  private static boolean isIn(List<IpPrefix> networks, IpAddress address) {
    return networks.stream().anyMatch(p -> p.contains(address.hi(), address.lo()));
  }

  @Test
  void everyFlowIsExportedAfterItsEndWithinTheDelay() {
    TrafficOptions options =
        TrafficOptions.defaults().withExportDelay(Duration.ofSeconds(1), Duration.ofSeconds(3));
    FlowStream stream = new TrafficModel(SEED, options).live(NOW);
    SyntheticFlow flow = new SyntheticFlow();
    for (int i = 0; i < 100_000; i++) {
      long now = NOW + i;
      stream.next(now, flow);
      long delay = now - flow.endMillis;
      assertTrue(flow.endMillis >= NOW, "ended before the routers were started");
      assertTrue(delay <= 3_000 && (delay >= 1_000 || i < 3_000), "delay " + delay);
    }
  }

  @Test
  void incidentsAreInTheLivePartAsTheTruthSays() {
    TrafficModel model = new TrafficModel(SEED, TrafficOptions.defaults());
    Incidents truth = model.incidents();
    List<ExportedRow> rows = live(SEED, TrafficOptions.defaults(), 600_000, 10); // 60 s at 10,000/s
    Map<IpAddress, Long> received = new HashMap<>();
    Set<String> probed = new HashSet<>();
    List<Long> beacons = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      ExportedRow r = rows.get(i);
      if (i < 100_000) { // the first 10 s are calm
        assertNotEquals(truth.scanner(), r.src());
        assertNotEquals(truth.beaconPeer(), r.dst());
        assertNotEquals(truth.newHeavyTalker(), r.src());
      }
      if (!isIn(TrafficModel.protectedNetworks(), r.src())) {
        received.merge(r.src(), r.bytes(), Long::sum);
      }
      if (r.src().equals(truth.scanner())) {
        probed.add(r.dst() + ":" + r.dstPort());
      }
      if (r.dst().equals(truth.beaconPeer())) {
        assertEquals(truth.beaconHost(), r.src());
        beacons.add(r.endMillis());
      }
    }
    assertTrue(probed.size() > 3_000, "scanned " + probed.size());
    assertEquals(10, beacons.size(), 1);
    for (int i = 1; i < beacons.size(); i++) {
      long gap = beacons.get(i) - beacons.get(i - 1);
      assertTrue(gap >= 4_740 && gap <= 5_260, "beacons " + gap + " ms apart");
    }
    List<IpAddress> heaviest =
        received.entrySet().stream()
            .sorted(Map.Entry.<IpAddress, Long>comparingByValue().reversed())
            .limit(3)
            .map(Map.Entry::getKey)
            .toList();
    assertEquals(truth.newHeavyTalker(), heaviest.get(0));
    assertEquals(Set.copyOf(truth.regularHeavyTalkers()), Set.copyOf(heaviest.subList(1, 3)));
  }

  @Test
  void atThisHourRegularTalkersWereAsHeavyBeforeAndTheNewOneWasQuiet() {
    TrafficModel model = new TrafficModel(SEED, TrafficOptions.defaults());
    Instant to = Instant.ofEpochMilli(NOW);
    int liveRate = 10_000;
    HistoryGenerator generator = HistoryGenerator.daysBefore(model, to, 8, 600_000, liveRate);
    Map<IpAddress, double[]> rates =
        new HashMap<>(); // by talker, for each of 7 days: bytes per second
    List<Long> arrivals = new ArrayList<>();
    HistoryGenerator.GeneratedHistory generated =
        generator.generate(7, batch -> addRates(batch, rates, arrivals));
    assertEquals(600_000, generated.flows());
    assertEquals(600_000, arrivals.size());
    for (int i = 1; i < arrivals.size(); i++) {
      assertTrue(arrivals.get(i - 1) <= arrivals.get(i), "arrival goes back at " + i);
    }
    assertTrue(
        arrivals.get(arrivals.size() - 1) > (NOW - 120_000) * 1000, "history stops too early");
    assertTrue(
        arrivals.get(arrivals.size() - 1) < NOW * 1000, "history reaches into the live part");

    Map<IpAddress, Long> now = new HashMap<>();
    List<ExportedRow> rows = live(SEED, TrafficOptions.defaults(), 300_000, 10);
    rows.subList(100_000, 300_000).forEach(r -> now.merge(r.src(), r.bytes(), Long::sum)); // 20 s
    for (IpAddress regular : model.incidents().regularHeavyTalkers()) {
      double ratio = now.get(regular) / 20.0 / median(rates.get(regular));
      assertTrue(
          ratio > 0.6 && ratio < 1.6,
          regular + " is now " + ratio + " times as heavy, seed " + SEED);
    }
    IpAddress talker = model.incidents().newHeavyTalker();
    double ratio = now.get(talker) / 20.0 / median(rates.get(talker));
    assertTrue(ratio > 20, "the new talker is only " + ratio + " times as heavy, seed " + SEED);
  }

  /** With few hosts, so that a short history has all of them. */
  private static TrafficOptions acquainted() {
    return TrafficOptions.demo().withHosts(200, 2_000, 0.8);
  }

  @Test
  void amongAcquaintancesHistoryHasWhoeverTalksInTheLivePart() {
    for (long seed = 1; seed <= 3; seed++) {
      String at = "seed " + seed + ": ";
      TrafficModel model = new TrafficModel(seed, acquainted());
      Set<IpAddress> planted = new HashSet<>();
      model.incidents().planted().forEach(one -> planted.add(one.subject()));
      planted.add(model.incidents().beaconPeer());
      Set<List<IpAddress>> pairs = new HashSet<>();
      HistoryGenerator.daysBefore(model, Instant.ofEpochMilli(NOW), 7, 100_000, 20_000)
          .generate(
              1,
              batch -> {
                for (int i = 0; i < batch.rows(); i++) {
                  pairs.add(
                      List.of(
                          batch.getAddress(FlowColumn.SRC_ADDR, i),
                          batch.getAddress(FlowColumn.DST_ADDR, i)));
                }
              });
      Set<IpAddress> regular = Set.copyOf(model.incidents().regularHeavyTalkers());
      Map<IpAddress, Set<String>> targets = new HashMap<>();
      for (ExportedRow r : live(seed, acquainted(), 600_000, 10)) {
        if (planted.contains(r.src()) || planted.contains(r.dst()) || r.dstPort() == 80) {
          continue; // port 80 as the flood's
        }
        if (isIn(TrafficModel.protectedNetworks(), r.src()) && r.srcPort() > r.dstPort()) {
          targets.computeIfAbsent(r.src(), a -> new HashSet<>()).add(r.dst() + ":" + r.dstPort());
        }
        if (!regular.contains(r.src())) {
          assertTrue(pairs.contains(List.of(r.src(), r.dst())), () -> at + r);
        }
      }
      assertTrue(targets.size() > 150, "seed " + seed + ": " + targets.size());
      targets.forEach((host, some) -> assertTrue(some.size() <= 24, host + ": " + some));
    }
  }

  @Test
  void whatIsPlantedBeginsWhenTheTruthSaysAndGoesOn() {
    TrafficModel model = new TrafficModel(SEED, TrafficOptions.demo());
    List<ExportedRow> rows = live(SEED, TrafficOptions.demo(), 600_000, 10);
    assertEquals(6, model.incidents().planted().size());
    for (Incidents.Planted one : model.incidents().planted()) {
      boolean isVictim = one.name().equals(Incidents.DDOS);
      boolean isInside = isIn(TrafficModel.protectedNetworks(), one.subject()) && !isVictim;
      IpAddress peer = model.incidents().beaconPeer();
      int first = -1;
      int last = -1;
      Set<IpAddress> others = new HashSet<>();
      for (int i = 0; i < rows.size(); i++) {
        ExportedRow r = rows.get(i);
        boolean isOf =
            isVictim
                ? r.dst().equals(one.subject()) && r.srcPort() == 123 && r.dstPort() == 80
                : r.src().equals(one.subject())
                    && (!one.name().equals(Incidents.BEACON) || r.dst().equals(peer));
        if (isOf) {
          first = first < 0 ? i : first;
          last = i;
          others.add(isVictim ? r.src() : r.dst());
        }
      }
      // 10 flows a millisecond
      assertEquals((double) one.after().toMillis(), first / 10.0, 2_000, one.toString());
      assertTrue(first / 10.0 >= one.after().toMillis() - 1, one + " begins at " + first);
      assertTrue(last / 10.0 > 54_000, one + " ends at " + last);
      int most =
          Map.of(Incidents.BEACON, 1, Incidents.SLOW_SCAN, 60).getOrDefault(one.name(), 1 << 20);
      int fewest =
          Map.of(Incidents.BEACON, 1, Incidents.SLOW_SCAN, 40, Incidents.DDOS, 10_000)
              .getOrDefault(one.name(), 60);
      assertTrue(
          others.size() >= fewest && others.size() <= most,
          one + " has " + others.size() + (isInside ? " peers outside" : " others"));
    }
  }

  private static void addRates(
      FlowBatch batch, Map<IpAddress, double[]> rates, List<Long> arrivals) {
    long now = NOW * 1000;
    long hour = 3_600_000_000L;
    for (int i = 0; i < batch.rows(); i++) {
      arrivals.add(batch.getLong(FlowColumn.ARRIVAL, i));
      long end = batch.getLong(FlowColumn.END_TIME, i);
      for (int day = 1; day <= 7; day++) {
        long from = now - 24L * day * hour;
        if (end >= from && end < from + hour) {
          rates
                  .computeIfAbsent(batch.getAddress(FlowColumn.SRC_ADDR, i), a -> new double[7])[
                  day - 1] +=
              batch.getLong(FlowColumn.BYTES, i) / 3_600.0;
        }
      }
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    java.util.Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  @Test
  void historySwingsWithTheDayAndRepeatsWithItsSeed() {
    List<Long> first = new ArrayList<>();
    List<Long> second = new ArrayList<>();
    for (List<Long> arrivals : List.of(first, second)) {
      TrafficModel model = new TrafficModel(SEED, TrafficOptions.defaults());
      HistoryGenerator.daysBefore(model, Instant.parse("2026-06-15T00:00:00Z"), 2, 50_000, 1_000)
          .generate(
              1,
              batch -> {
                for (int i = 0; i < batch.rows(); i++) {
                  arrivals.add(batch.getLong(FlowColumn.ARRIVAL, i));
                }
              });
    }
    assertEquals(first, second);
    long hour = 3_600_000_000L;
    long busy = first.stream().filter(a -> a / hour % 24 == 14).count();
    long calm = first.stream().filter(a -> a / hour % 24 == 2).count();
    assertEquals(4.0, busy / (double) calm, 0.5);
  }
}
