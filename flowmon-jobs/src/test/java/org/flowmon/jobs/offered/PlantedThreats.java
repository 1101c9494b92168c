package org.flowmon.jobs.offered;

import java.util.Map;
import java.util.SplittableRandom;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Planted cases of floods, tunnels, guessed passwords, theft, new services and faulty exporters,
 * and a look-alike of each.
 */
final class PlantedThreats {
  /** Gets answers of sixty time servers. */
  static final IpAddress FLOODED = IpAddress.parse("10.20.31.1");

  /** Gets SYNs of sixty sources. */
  static final IpAddress SYN_FLOODED = IpAddress.parse("10.20.31.2");

  /** Gets as many answers of name servers, as at this time of each day. */
  static final IpAddress RESOLVER = IpAddress.parse("10.20.31.3");

  /** Tries passwords, then stays. */
  static final IpAddress BURGLAR = IpAddress.parse("198.19.20.1");

  /** Tries passwords in vain. */
  static final IpAddress GUESSER = IpAddress.parse("198.19.20.2");

  /** Tries passwords in vain, and has an old session that its exporter tells of in parts. */
  static final IpAddress KEEPER = IpAddress.parse("198.19.20.3");

  /** Logs in as often each day. */
  static final IpAddress CHECKER = IpAddress.parse("10.20.32.9");

  /** Asks long questions. */
  static final IpAddress DNS_TUNNEL = IpAddress.parse("10.20.33.1");

  /** Asks as long questions each day. */
  static final IpAddress MAIL_FILTER = IpAddress.parse("10.20.33.2");

  /** Its echoes have all sizes. */
  static final IpAddress ICMP_TUNNEL = IpAddress.parse("10.20.34.1");

  /** Its echoes are large, and of one size. */
  static final IpAddress PINGER = IpAddress.parse("10.20.34.2");

  /** Holds a connection for nine hours to a network that nobody knows. */
  static final IpAddress HELD = IpAddress.parse("10.20.30.1");

  /** Holds one as long to a network that is known. */
  static final IpAddress SUBSCRIBER = IpAddress.parse("10.20.30.2");

  /** Sends 150 MB to a network that nobody knows, and a MB on other days. */
  static final IpAddress THIEF = IpAddress.parse("10.20.30.3");

  /** Sends as much to such a network, but more on other days. */
  static final IpAddress BACKUP = IpAddress.parse("10.20.30.4");

  /** Sends as much to a network that is known. */
  static final IpAddress UPLOADER = IpAddress.parse("10.20.30.5");

  /** Tries eight addresses that nobody has. */
  static final IpAddress WORM = IpAddress.parse("10.20.35.1");

  /** Tries eight such addresses, as five days ago. */
  static final IpAddress FORGETFUL = IpAddress.parse("10.20.35.2");

  /** Tries eight addresses that answered others in rows of both directions. */
  static final IpAddress VISITOR = IpAddress.parse("10.20.35.3");

  /** A client that answers at port 4444. */
  static final IpAddress BACK_DOOR = IpAddress.parse("10.20.36.1");

  /** Answers at port 8443, as ten days ago. */
  static final IpAddress SERVER = IpAddress.parse("10.20.36.2");

  /** Answers, and was never there before. */
  static final IpAddress NEW_SERVER = IpAddress.parse("10.20.36.3");

  /** Answers at port 4444, and at 443 twenty days ago; all rows of it tell of both directions. */
  static final IpAddress ANSWERER = IpAddress.parse("10.20.36.4");

  /** Sent each minute until twenty minutes ago. */
  static final IpAddress SILENT = IpAddress.parse("172.16.1.1");

  /** Sends in the hour before this time of each day, and not today. */
  static final IpAddress GONE = IpAddress.parse("172.16.1.2");

  /** Sends in the hour after this time of each day: is to be switched on. */
  static final IpAddress LATER = IpAddress.parse("172.16.1.6");

  /** Its clock is five minutes ahead. */
  static final IpAddress AHEAD = IpAddress.parse("172.16.1.3");

  /** Its clock is five minutes behind. */
  static final IpAddress BEHIND = IpAddress.parse("172.16.1.4");

  /** Sends impossible times. */
  static final IpAddress ODD = IpAddress.parse("172.16.1.5");

  private static final long SECOND = Program.SECOND;
  private static final long MINUTE = Program.MINUTE;
  private static final long HOUR = Program.HOUR;
  private static final long DAY = Program.DAY;
  private static final int DAYS = Program.DAYS;
  private static final int CONNECTION = 0x1B;
  private static final int PART = 0x18; // of a connection that is open: no SYN, no FIN
  private static final int SYN = 0x02;

  private final PlantedTraffic traffic;
  private final SplittableRandom random;
  private final long end;

  PlantedThreats(PlantedTraffic traffic, SplittableRandom random, long end) {
    this.traffic = traffic;
    this.random = random;
    this.end = end;
  }

  void plant() {
    plantFloods();
    plantLogins();
    plantTunnels();
    plantLongConnections();
    plantUploads();
    plantDarkSpace();
    plantServices();
    plantExporters();
    plantParts();
    plantRowsOfBothDirections();
  }

  private static IpAddress address(String prefix, int host) {
    return IpAddress.parse(prefix + host);
  }

  private Map<FlowColumn, Object> flow(
      long ends, IpAddress from, Integer fromPort, IpAddress to, Integer port, int protocol) {
    return traffic.add(
        ends,
        FlowColumn.OUTGOING,
        PlantedTraffic.isInside(from) ? 1 : 0,
        FlowColumn.START_TIME,
        ends - random.nextLong(SECOND),
        FlowColumn.SRC_ADDR,
        from,
        FlowColumn.SRC_PORT,
        fromPort,
        FlowColumn.DST_ADDR,
        to,
        FlowColumn.DST_PORT,
        port,
        FlowColumn.PROTOCOL,
        protocol);
  }

  private static void counts(Map<FlowColumn, Object> flow, long packets, long bytes) {
    PlantedTraffic.put(flow, FlowColumn.PACKETS, packets);
    PlantedTraffic.put(flow, FlowColumn.BYTES, bytes);
  }

  private void plantFloods() {
    for (int i = 0; i < 360; i++) { // a minute
      long ends = end - 1 - i * 166_000L;
      int port = 20_000 + i;
      int udp = SyntheticFlow.UDP;
      counts(flow(ends, address("198.19.10.", i % 60), 123, FLOODED, port, udp), 256, 120_000);
      counts(flow(ends, address("198.19.11.", i % 60), 53, RESOLVER, port, udp), 256, 120_000);
      var syns = traffic.tcp(ends, address("198.19.12.", i % 60), port, SYN_FLOODED, 443, SYN, 44);
      counts(syns, 4, 176);
      PlantedTraffic.put(syns, FlowColumn.SAMPLING_RATE, 100);
    }
    for (int day = 1; day <= DAYS; day++) {
      long ends = end - day * DAY + 40 * MINUTE;
      IpAddress server = address("198.19.11.", day);
      counts(
          flow(ends, server, 53, RESOLVER, 20_000, SyntheticFlow.UDP), 4_000_000, 2_500_000_000L);
    }
  }

  private void login(long ends, IpAddress from, int packets) {
    IpAddress to = IpAddress.parse("10.20.32.1");
    int port = 30_000 + random.nextInt(30_000);
    counts(traffic.tcp(ends, from, port, to, 22, CONNECTION, 0), packets, packets * 130L);
  }

  private void plantLogins() {
    for (int i = 0; i < 40; i++) {
      login(end - 10 * MINUTE - random.nextLong(40 * MINUTE), BURGLAR, 14);
      login(end - 10 * MINUTE - random.nextLong(40 * MINUTE), GUESSER, 12);
    }
    login(end - 5 * MINUTE, BURGLAR, 400);
    for (int day = 0; day <= DAYS; day++) {
      for (int i = 0; i < 60; i++) {
        login(end - day * DAY - 1 - random.nextLong(HOUR), CHECKER, 15);
      }
    }
  }

  private void plantTunnels() {
    for (int i = 0; i < 12; i++) {
      long ends = end - 1 - i * MINUTE;
      IpAddress server = IpAddress.parse("198.19.30.53");
      int udp = SyntheticFlow.UDP;
      counts(flow(ends, DNS_TUNNEL, 40_000, server, 53, udp), 60, 60 * 151);
      counts(flow(ends, server, 53, DNS_TUNNEL, 40_000, udp), 60, 60 * 251);
      counts(flow(ends, MAIL_FILTER, 40_000 + i, server, 53, udp), 30, 30 * 180);
      echoes(ends, ICMP_TUNNEL, 100, 15_037);
      echoes(ends, PINGER, 100, 142_800);
    }
    for (int day = 1; day <= DAYS; day++) {
      for (int i = 0; i < 60; i++) {
        long ends = end - day * DAY + random.nextLong(HOUR);
        IpAddress server = IpAddress.parse("198.19.30.53");
        int udp = SyntheticFlow.UDP;
        counts(flow(ends, MAIL_FILTER, 40_000 + i, server, 53, udp), 30, 30 * 180);
      }
    }
  }

  private void echoes(long ends, IpAddress from, int packets, int bytes) {
    IpAddress to = IpAddress.parse("198.19.31.1");
    var request = flow(ends, from, null, to, null, SyntheticFlow.ICMP);
    PlantedTraffic.put(request, FlowColumn.ICMP_TYPE_CODE, 8 << 8);
    counts(request, packets, bytes);
    var reply = flow(ends, to, null, from, null, SyntheticFlow.ICMP);
    PlantedTraffic.put(reply, FlowColumn.ICMP_TYPE_CODE, 0);
    counts(reply, packets, bytes);
  }

  /** Adds the parts of a connection that an exporter cuts each minute. */
  private void hold(IpAddress from, IpAddress to) {
    for (int i = 0; i < 540; i++) {
      long ends = end - 1 - i * MINUTE;
      part(traffic.tcp(ends, from, 51_000, to, 443, PART, 400), ends);
      part(traffic.tcp(ends, to, 443, from, 51_000, PART, 300), ends);
    }
  }

  private static void part(Map<FlowColumn, Object> flow, long ends) {
    PlantedTraffic.put(flow, FlowColumn.START_TIME, ends - MINUTE + SECOND);
    PlantedTraffic.put(flow, FlowColumn.DURATION, MINUTE - SECOND);
  }

  private void plantLongConnections() {
    hold(HELD, IpAddress.parse("198.19.1.9"));
    hold(SUBSCRIBER, IpAddress.parse("198.19.2.9"));
    upload(end - 20 * DAY, SUBSCRIBER, IpAddress.parse("198.19.2.77"), 50_000);
  }

  private void upload(long ends, IpAddress from, IpAddress to, long bytes) {
    traffic.tcp(ends, from, 52_000, to, 443, CONNECTION, bytes);
  }

  private void plantUploads() {
    for (int i = 0; i < 10; i++) {
      long ends = end - 6 * MINUTE - i * 3L * MINUTE;
      upload(ends, THIEF, IpAddress.parse("198.19.3.9"), 15_000_000 + i);
      upload(ends, BACKUP, IpAddress.parse("198.19.4.9"), 15_000_000 + i);
      upload(ends, UPLOADER, IpAddress.parse("198.19.5.9"), 15_000_000 + i);
    }
    for (int day = 1; day <= 9; day++) {
      long ends = end - day * DAY - 7 * HOUR;
      upload(ends, THIEF, IpAddress.parse("198.19.6.9"), 900_000 + 20_000 * day);
      upload(ends, BACKUP, IpAddress.parse("198.19.6.9"), 200_000_000 + day);
      upload(ends, UPLOADER, IpAddress.parse("198.19.5.10"), 800_000);
    }
  }

  private void plantDarkSpace() {
    for (int i = 0; i < 8; i++) {
      long ends = end - 1 - i * 7L * MINUTE;
      traffic.tcp(ends, WORM, 53_000, address("10.250.1.", i), 445, SYN, 44);
      traffic.tcp(ends, FORGETFUL, 53_000, address("10.250.2.", i), 161, SYN, 44);
      traffic.tcp(ends - 5 * DAY, FORGETFUL, 53_000, address("10.250.2.", i), 161, SYN, 44);
    }
  }

  private void plantServices() {
    IpAddress client = IpAddress.parse("198.19.40.1");
    for (int i = 0; i < 4; i++) {
      long ends = end - 1 - i * MINUTE;
      traffic.tcp(ends, BACK_DOOR, 4444, client, 50_000 + i, CONNECTION, 900);
      traffic.tcp(ends, SERVER, 8443, client, 50_000 + i, CONNECTION, 900);
      traffic.tcp(ends, NEW_SERVER, 4444, client, 50_000 + i, CONNECTION, 900);
    }
    traffic.tcp(end - 20 * DAY, BACK_DOOR, 50_000, client, 443, CONNECTION, 900);
    traffic.tcp(end - 10 * DAY, SERVER, 8443, client, 50_000, CONNECTION, 900);
  }

  private void export(long ends, IpAddress exporter, long skew, int flags) {
    IpAddress to = IpAddress.parse("198.19.50.1");
    var flow = traffic.tcp(ends, IpAddress.parse("10.20.37.1"), 50_000, to, 443, CONNECTION, 600);
    PlantedTraffic.put(flow, FlowColumn.EXPORTER, exporter);
    PlantedTraffic.put(flow, FlowColumn.OBSERVATION_DOMAIN, 1);
    PlantedTraffic.put(flow, FlowColumn.EXPORT_TIME, ends + skew);
    PlantedTraffic.put(flow, FlowColumn.TIME_FLAGS, flags);
  }

  private void plantExporters() {
    for (int minute = 0; minute < 60; minute++) {
      long ends = end - 2 * SECOND - minute * MINUTE;
      if (minute >= 20) {
        export(ends, SILENT, 0, 0);
      }
      export(ends, AHEAD, 5 * MINUTE, 0);
      export(ends, BEHIND, -5 * MINUTE, 0);
      export(ends, ODD, 0, 3);
    }
    for (int day = 1; day <= DAYS; day++) {
      for (int i = 0; i < 150; i++) {
        export(end - day * DAY - SECOND - random.nextLong(HOUR - SECOND), GONE, 0, 0);
        export(end - day * DAY + random.nextLong(HOUR), LATER, 0, 0);
      }
    }
  }

  private void plantParts() {
    for (int i = 0; i < 40; i++) {
      login(end - 10 * MINUTE - random.nextLong(40 * MINUTE), KEEPER, 12);
    }
    for (int i = 0; i < 55; i++) { // both small and large ones, before the tries and after them
      long ends = end - 1 - i * MINUTE;
      int packets = i % 2 == 0 ? 400 : 12;
      var flow = traffic.tcp(ends, KEEPER, 29_000, IpAddress.parse("10.20.32.1"), 22, PART, 0);
      counts(flow, packets, packets * 130L);
      part(flow, ends);
    }
  }

  private void exchange(long ends, IpAddress from, IpAddress to, int port) {
    var flow = traffic.tcp(ends, from, 50_000, to, port, CONNECTION, 900);
    PlantedTraffic.put(flow, FlowColumn.REVERSE_PACKETS, 5);
    PlantedTraffic.put(flow, FlowColumn.REVERSE_BYTES, 700);
  }

  private void plantRowsOfBothDirections() {
    IpAddress client = IpAddress.parse("198.19.40.2");
    for (int i = 0; i < 8; i++) {
      long ends = end - 1 - i * 7L * MINUTE;
      traffic.tcp(ends, VISITOR, 53_000, address("10.250.3.", i), 445, SYN, 44);
      exchange(ends - 5 * DAY, client, address("10.250.3.", i), 445);
    }
    exchange(end - MINUTE, client, ANSWERER, 4444);
    exchange(end - 20 * DAY, client, ANSWERER, 443);
  }
}
