package org.flowmon.ingest.synthetic;

import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;

/** The crowd, the regular heavy talkers and, from their time on, the incidents. */
final class LiveTraffic implements FlowStream {
  /** Flows of 10,000 by role; the byte sizes make the new talker's share by far the largest. */
  static final int CONTENT_FLOWS = 200;

  static final int CONTENT_BYTES = 16_000;
  static final int BACKUP_FLOWS = 100;
  static final int BACKUP_BYTES = 32_000;
  private static final int TALKER_FLOWS = 200;
  private static final int TALKER_BYTES = 48_000;
  private static final int SCAN_FLOWS = 100;
  private static final int FLOOD_FLOWS = 1_000;

  private static final int SYN = 0x02;
  private static final int RST_ACK = 0x14;
  private static final int SCANNED_HOSTS = 64;

  private final Incidents incidents;
  private final int beaconHost;
  private final int insideHosts;
  private final long beaconDelay;
  private final OrdinaryTraffic crowd;
  private final SplittableRandom random;
  private final long from;
  private final long incidentsFrom;
  private final int victim;
  private final int newTalker;
  private final int outsideHosts;
  private final long talkerFrom;
  private final long scanFrom;
  private final long floodFrom;
  private double slowDue;
  private double talkDue;
  private int slowProbes;
  private double beaconDue;
  private int probes;
  private boolean refusalIsDue;

  LiveTraffic(
      TrafficModel model, OrdinaryTraffic crowd, SplittableRandom random, long startMillis) {
    this.incidents = model.incidents();
    this.beaconHost = model.beaconHost();
    this.insideHosts = model.options().insideHosts();
    this.beaconDelay = model.options().exportDelayMin().toMillis();
    this.crowd = crowd;
    this.random = random;
    this.from = startMillis;
    this.incidentsFrom = startMillis + incidents.after().toMillis();
    this.beaconDue = incidentsFrom;
    this.victim = model.victim();
    this.newTalker = model.newTalker();
    this.outsideHosts = model.options().outsideHosts();
    this.talkerFrom = from(Incidents.HEAVY_TALKER);
    this.scanFrom = from(Incidents.SCAN);
    this.floodFrom = from(Incidents.DDOS);
    this.slowDue = from(Incidents.SLOW_SCAN);
    this.talkDue = from(Incidents.NEW_TALKER);
  }

  /** When it begins; never if it is not planted. */
  private long from(String name) {
    return incidents.planted(name).map(one -> from + one.after().toMillis()).orElse(Long.MAX_VALUE);
  }

  @Override
  public void next(long nowMillis, SyntheticFlow flow) {
    draw(nowMillis, flow);
    if (flow.endMillis < from) { // the routers were started then, so no flow ends earlier
      flow.startMillis += from - flow.endMillis;
      flow.endMillis = from;
    }
  }

  private void draw(long nowMillis, SyntheticFlow flow) {
    if (nowMillis >= beaconDue) {
      beacon(flow);
      return;
    }
    if (nowMillis >= slowDue) {
      slowProbe(flow);
      return;
    }
    if (nowMillis >= talkDue) {
      talk(flow);
      return;
    }
    int role = random.nextInt(10_000);
    if ((role -= CONTENT_FLOWS) < 0) {
      crowd.bulk(nowMillis, flow, incidents.regularHeavyTalkers().get(0), 443, CONTENT_BYTES);
    } else if ((role -= BACKUP_FLOWS) < 0) {
      crowd.bulk(nowMillis, flow, incidents.regularHeavyTalkers().get(1), 873, BACKUP_BYTES);
    } else if (nowMillis >= talkerFrom && (role -= TALKER_FLOWS) < 0) {
      crowd.bulk(nowMillis, flow, incidents.newHeavyTalker(), 443, TALKER_BYTES);
    } else if (nowMillis >= scanFrom && (role -= SCAN_FLOWS) < 0) {
      probe(nowMillis, flow);
    } else if (nowMillis >= floodFrom && (role -= FLOOD_FLOWS) < 0) {
      flood(nowMillis, flow);
    } else {
      crowd.next(nowMillis, flow);
    }
  }

  private void beacon(SyntheticFlow flow) {
    crowd.partyWith(flow, beaconHost, incidents.beaconPeer(), true);
    crowd.tcp(flow, 49_152 + random.nextInt(16_384), 443, 0x1B);
    flow.bytes = 700L + random.nextInt(8);
    flow.packets = 7;
    flow.endMillis = (long) beaconDue - beaconDelay;
    flow.startMillis = flow.endMillis - 120;
    beaconDue += incidents.beaconPeriod().toMillis() * (0.95 + 0.1 * random.nextDouble());
  }

  /** A SYN to another host each second, of which nobody hears again. */
  private void slowProbe(SyntheticFlow flow) {
    int host = Math.floorMod(slowProbes++ * 41, insideHosts);
    IpAddress scanner = incidents.planted(Incidents.SLOW_SCAN).orElseThrow().subject();
    crowd.partyWith(flow, host, scanner, false);
    crowd.tcp(flow, 40_000 + random.nextInt(20_000), 22, SYN);
    flow.bytes = 60;
    flow.packets = 1;
    flow.endMillis = (long) slowDue - beaconDelay;
    flow.startMillis = flow.endMillis;
    slowDue += 900 + 200 * random.nextDouble();
  }

  /** A flow of the new inside host, some in a second and at no regular times. */
  private void talk(SyntheticFlow flow) {
    crowd.parties(flow, newTalker, random.nextInt(outsideHosts), false, true);
    crowd.tcp(flow, 49_152 + random.nextInt(16_384), 443, 0x1B);
    crowd.count(flow, 2_000L + random.nextInt(4_000));
    flow.endMillis = (long) talkDue - beaconDelay;
    flow.startMillis = flow.endMillis - 80;
    talkDue += -400 * Math.log(1 - random.nextDouble());
  }

  /** What a time server outside answers to the victim, which did not ask. */
  private void flood(long nowMillis, SyntheticFlow flow) {
    crowd.parties(flow, victim, random.nextInt(outsideHosts), false, false);
    flow.protocol = SyntheticFlow.UDP;
    flow.srcPort = 123;
    flow.dstPort = 80;
    flow.tcpFlags = 0;
    flow.tos = 0;
    flow.icmpTypeCode = 0;
    flow.packets = 1L + random.nextInt(20);
    flow.bytes = 468 * flow.packets;
    flow.endMillis = nowMillis - beaconDelay;
    flow.startMillis = flow.endMillis - 50;
  }

  /** A SYN, sometimes refused; (host, port) pairs repeat only after 64 × 65,535. */
  private void probe(long nowMillis, SyntheticFlow flow) {
    int host = Math.floorMod(probes * 31, Math.min(SCANNED_HOSTS, insideHosts));
    int port = 1 + Math.floorMod(probes / SCANNED_HOSTS * 7_919 + host, 65_535);
    crowd.partyWith(flow, host, incidents.scanner(), false);
    flow.bytes = 44;
    flow.packets = 1;
    flow.endMillis = nowMillis - beaconDelay;
    flow.startMillis = flow.endMillis;
    crowd.tcp(flow, 55_555, port, SYN);
    if (refusalIsDue) {
      flow.reverse(40, 1);
      flow.tcpFlags = RST_ACK;
      refusalIsDue = false;
      probes++;
    } else if (random.nextInt(100) < 30) {
      refusalIsDue = true;
    } else {
      probes++;
    }
  }
}
