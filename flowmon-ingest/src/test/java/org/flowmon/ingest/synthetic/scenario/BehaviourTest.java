package org.flowmon.ingest.synthetic.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.scenario.Behaviour.Choice;
import org.flowmon.ingest.synthetic.scenario.Behaviour.Pace;
import org.flowmon.ingest.synthetic.scenario.Behaviour.Range;
import org.flowmon.ingest.synthetic.scenario.Behaviour.Rhythm;
import org.flowmon.ingest.synthetic.scenario.Behaviour.Talk;
import org.flowmon.ingest.synthetic.scenario.Party.Place;
import org.junit.jupiter.api.Test;

/** Each property of a behaviour shows in its flows, with a seed and without one in common. */
final class BehaviourTest {
  private static final long SEED = 5;
  private static final Duration DAY = Duration.ofDays(1);
  private static final IpAddress NOBODY = new IpAddress(0, 0);
  private static final int INSIDE = 500;

  private static Party party(Place place, int hosts) {
    int population =
        switch (place) {
          case INSIDE -> INSIDE;
          case OUTSIDE -> 2_000;
          case UNUSED -> Party.INSIDE_ADDRESSES - INSIDE;
          case LISTED -> 1;
        };
    return new Party(place, population, hosts, false, NOBODY);
  }

  private static Pace pace(Rhythm rhythm, Duration every) {
    DailySwing swing = new DailySwing(0.8, 14, 0.25);
    return new Pace(
        rhythm, every, 0.1, Optional.empty(), new Range(1, 1), Duration.ofSeconds(1), swing);
  }

  private static Talk talk(int protocol, double unanswered, double refused) {
    Range bytes = new Range(1_000, 2_000);
    return new Talk(
        protocol, List.of(443), 1, 0, bytes, bytes, new Range(100, 900), unanswered, refused);
  }

  private static Behaviour behaviour(
      Party from, Party to, Choice choice, Pace pace, Talk talk, Duration begin) {
    return new Behaviour(
        new Attack.When("it", begin, DAY.multipliedBy(8)), "", from, to, choice, pace, talk);
  }

  private static Behaviour behaviour(Party from, Party to, Choice choice, Pace pace, Talk talk) {
    return behaviour(from, to, choice, pace, talk, Duration.ZERO);
  }

  /** A flow as it was exported. */
  private record Seen(
      int label,
      long now,
      IpAddress src,
      IpAddress dst,
      int srcPort,
      int protocol,
      int flags,
      long bytes,
      long start,
      long end,
      boolean isAnswer,
      boolean outgoing) {}

  private static List<Seen> flows(
      long seed, Duration duration, List<Attack> attacks, Behaviour... behaviours) {
    Scenario base = Scenarios.of(seed, 0, 0, attacks, List.of(), Faults.NONE);
    ScenarioTraffic traffic =
        new ScenarioTraffic(
            new Scenario(
                "",
                new Scenario.Run(seed, Scenarios.START, duration, 0),
                base.network(),
                List.of(behaviours),
                attacks,
                List.of(),
                Faults.NONE));
    SyntheticFlow f = new SyntheticFlow();
    List<Seen> flows = new ArrayList<>();
    while (traffic.next(f)) {
      flows.add(
          new Seen(
              f.label,
              traffic.nowMillis(),
              new IpAddress(f.srcHi, f.srcLo),
              new IpAddress(f.dstHi, f.dstLo),
              f.srcPort,
              f.protocol,
              f.tcpFlags,
              f.bytes,
              f.startMillis,
              f.endMillis,
              f.isAnswer,
              f.outgoing));
    }
    return flows;
  }

  private static Behaviour browsing(Choice choice, double unanswered, double refused) {
    return behaviour(
        party(Place.INSIDE, 100),
        party(Place.OUTSIDE, 1_000),
        choice,
        pace(Rhythm.STEADY, Duration.ofMinutes(5)),
        talk(SyntheticFlow.TCP, unanswered, refused));
  }

  @Test
  void aClientKnowsSoManyServersAndTheSameOnAllDays() {
    Behaviour browsing = browsing(new Choice(7, 0.9, 0), 0, 0);
    Map<IpAddress, Set<IpAddress>> first = new HashMap<>();
    Map<IpAddress, Set<IpAddress>> second = new HashMap<>();
    long noon = Scenarios.START.plus(DAY).toEpochMilli();
    for (Seen flow : flows(SEED, DAY.multipliedBy(2), List.of(), browsing)) {
      if (!flow.isAnswer) {
        (flow.now < noon ? first : second)
            .computeIfAbsent(flow.src, s -> new HashSet<>())
            .add(flow.dst);
      }
    }
    assertEquals(100, first.size());
    second.forEach((client, servers) -> first.get(client).addAll(servers));
    // 576 calls find each of seven servers, which may be the same.
    assertTrue(first.values().stream().allMatch(servers -> servers.size() <= 7));
    assertEquals(6.5, first.values().stream().mapToInt(Set::size).average().orElse(0), 0.4);
  }

  @Test
  void sharesThatAreNotAnsweredOrRefusedAndDeadServersShow() {
    List<Seen> flows = flows(SEED, DAY, List.of(), browsing(new Choice(0, 0, 0.2), 0.1, 0.05));
    int tried = 0;
    int refused = 0;
    int answered = 0;
    Map<IpAddress, Boolean> alive = new HashMap<>();
    for (Seen flow : flows) {
      if (!flow.isAnswer) {
        tried++;
        alive.putIfAbsent(flow.dst, false);
      } else if ((flow.flags & 4) != 0) {
        refused++;
        alive.put(flow.src, true);
      } else {
        answered++;
        alive.put(flow.src, true);
      }
    }
    double dead = alive.values().stream().filter(one -> !one).count() / (double) alive.size();
    assertEquals(0.2, dead, 0.05, "seed " + SEED);
    assertEquals(0.8 * 0.05, refused / (double) tried, 0.01, "seed " + SEED);
    assertEquals(0.8 * 0.85, answered / (double) tried, 0.03, "seed " + SEED);
  }

  @Test
  void periodicCallsKeepTheirTimesWithinTheJitter() {
    Behaviour calls =
        behaviour(
            party(Place.INSIDE, 20),
            party(Place.OUTSIDE, 3),
            new Choice(1, 0, 0),
            pace(Rhythm.PERIODIC, Duration.ofMinutes(10)),
            talk(SyntheticFlow.UDP, 0, 0));
    Map<IpAddress, List<Long>> starts = new TreeMap<>();
    for (Seen flow : flows(SEED, DAY, List.of(), calls)) {
      if (!flow.isAnswer) {
        starts.computeIfAbsent(flow.src, s -> new ArrayList<>()).add(flow.start);
      }
    }
    assertEquals(20, starts.size());
    for (List<Long> of : starts.values()) {
      assertEquals(144, of.size(), 1);
      for (int i = 1; i < of.size(); i++) {
        // Flows come in the order of their ends.
        long off = of.get(i) - of.get(0) - i * 600_000L;
        assertTrue(Math.abs(off) <= 121_000, "call " + i + " is off by " + off + " ms");
      }
    }
  }

  @Test
  void dailySessionsFollowTheSwing() {
    Behaviour browsing =
        behaviour(
            party(Place.INSIDE, 200),
            party(Place.OUTSIDE, 100),
            new Choice(0, 0, 0),
            pace(Rhythm.DAILY, Duration.ofMinutes(20)),
            talk(SyntheticFlow.TCP, 1, 0));
    int[] byHour = new int[24];
    List<Seen> flows = flows(SEED, DAY, List.of(), browsing);
    for (Seen flow : flows) {
      byHour[(int) (flow.start / 3_600_000 % 24)]++;
    }
    assertEquals(200 * 72, flows.size(), 500);
    assertEquals(1.8 / 0.2, byHour[14] / (double) byHour[2], 1.5, "seed " + SEED);
  }

  @Test
  void aLongConversationIsExportedInPiecesThatAddUp() {
    Talk talk =
        new Talk(
            SyntheticFlow.TCP,
            List.of(443),
            1,
            0,
            new Range(9_000_000, 9_000_000),
            new Range(1_000, 1_000),
            new Range(7_000_000, 7_000_000),
            0,
            0);
    Behaviour one =
        behaviour(
            party(Place.INSIDE, 1),
            party(Place.OUTSIDE, 1),
            new Choice(0, 0, 0),
            pace(Rhythm.ONCE, DAY),
            talk);
    List<Seen> pieces =
        flows(SEED, DAY, List.of(), one).stream().filter(flow -> !flow.isAnswer).toList();
    assertEquals(4, pieces.size());
    assertEquals(List.of(0x1A, 0x18, 0x18, 0x19), pieces.stream().map(Seen::flags).toList());
    assertEquals(9e6, (double) pieces.stream().mapToLong(Seen::bytes).sum(), 9e6 * 0.03);
    for (int i = 1; i < 4; i++) {
      assertEquals((double) pieces.get(i - 1).end, (double) pieces.get(i).start, 1);
      assertEquals(pieces.get(0).srcPort, pieces.get(i).srcPort);
    }
    assertEquals(7e6, (double) (pieces.get(3).end - pieces.get(0).start), 2);
  }

  @Test
  void unusedAddressesAreInsideAndOfNoHost() {
    Set<IpAddress> used = new HashSet<>();
    Party all = party(Place.INSIDE, INSIDE);
    for (int i = 0; i < INSIDE; i++) {
      used.add(new IpAddress(all.hi(i), all.lo(i)));
    }
    Behaviour radiation =
        behaviour(
            party(Place.OUTSIDE, 50),
            party(Place.UNUSED, 10_000),
            new Choice(0, 0, 0),
            pace(Rhythm.STEADY, Duration.ofMinutes(1)),
            talk(SyntheticFlow.TCP, 1, 0));
    Set<IpAddress> reached = new HashSet<>();
    for (Seen flow : flows(SEED, Duration.ofHours(2), List.of(), radiation)) {
      assertTrue(flow.dst.toString().startsWith("10.0."), flow.toString());
      assertTrue(!used.contains(flow.dst) && !flow.outgoing && !flow.isAnswer, flow.toString());
      reached.add(flow.dst);
    }
    assertTrue(reached.size() > 4_000, reached.size() + " addresses");
  }

  @Test
  void oneMoreBehaviourChangesNoOtherAndAnAttackHasALabel() {
    Behaviour browsing = browsing(new Choice(7, 0.9, 0), 0.1, 0);
    Behaviour other =
        new Behaviour(
            new Attack.When("other", Duration.ofHours(1), Duration.ofHours(2)),
            "theft",
            party(Place.UNUSED, 3),
            party(Place.OUTSIDE, 5),
            browsing.choice(),
            browsing.pace(),
            browsing.talk());
    List<Seen> alone = flows(SEED, DAY, List.of(), browsing);
    List<Seen> both = flows(SEED, DAY, List.of(), other, browsing);
    List<Seen> attacked = flows(SEED, DAY, List.of(other), browsing);
    assertTrue(both.size() > alone.size());
    assertEquals(alone, attacked.stream().filter(flow -> flow.label == 0).toList());
    assertTrue(new HashSet<>(both).containsAll(alone));
    Set<Seen> labelled = new HashSet<>(attacked);
    labelled.removeAll(alone);
    assertTrue(labelled.stream().allMatch(flow -> flow.label == 1), labelled.toString());
    long begin = Scenarios.START.plus(Duration.ofHours(1)).toEpochMilli();
    assertTrue(
        labelled.stream().allMatch(flow -> flow.start >= begin && flow.end < begin + 7_200_000));
    List<Seen> cut = flows(SEED, Duration.ofHours(5), List.of(other), browsing);
    assertEquals(attacked.subList(0, cut.size()), cut);
  }
}
