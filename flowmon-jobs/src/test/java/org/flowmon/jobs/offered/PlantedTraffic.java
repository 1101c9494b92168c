package org.flowmon.jobs.offered;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Ninety-five days of a small network's flows with planted cases for each analysis: cases that it
 * should find, and similar ones that it should not: each host below says what it does. The crowd
 * between them has every kind of flow: unknown addresses, ports and counts, both directions in one
 * row, flows that arrive late, ahead of their time or without a time.
 *
 * <p>All flows follow from the seed and the end, a full hour: each day is dense in the hour from
 * this time of day on, and the last minutes most of all.
 */
final class PlantedTraffic {
  /** Sends the most in the last five minutes, and little before. */
  static final IpAddress ELEPHANT = IpAddress.parse("203.0.113.66");

  /** Sends much, and as much in the same hour of each day. */
  static final IpAddress REGULAR = IpAddress.parse("203.0.113.67");

  /** Tries the ports of one host with SYNs. */
  static final IpAddress VERTICAL_SCANNER = IpAddress.parse("203.0.113.2");

  /** Tries port 22 of many hosts with SYNs. */
  static final IpAddress HORIZONTAL_SCANNER = IpAddress.parse("203.0.113.3");

  /** Tries a target every twenty minutes of a day. */
  static final IpAddress SLOW_SCANNER = IpAddress.parse("203.0.113.4");

  /** Answers a flood from forged sources: scans nobody. */
  static final IpAddress FLOOD_VICTIM = IpAddress.parse("203.0.113.5");

  /** Pings many hosts. */
  static final IpAddress SWEEPER = IpAddress.parse("203.0.113.6");

  /** Queries many devices at this time of each day: scans nobody. */
  static final IpAddress POLLER = IpAddress.parse("10.20.3.1");

  /** Calls {@link #BEACON_PEER} every five minutes. */
  static final IpAddress BEACON_HOST = IpAddress.parse("10.20.3.2");

  /** The host that {@link #BEACON_HOST} calls, on port 443. */
  static final IpAddress BEACON_PEER = IpAddress.parse("198.51.100.20");

  /** The host that {@link #BEACON_HOST} calls as often, but irregularly. */
  static final IpAddress IRREGULAR_PEER = IpAddress.parse("198.51.100.21");

  /** Sends out in the last minutes for the first time. */
  static final IpAddress NEW_TALKER = IpAddress.parse("10.20.3.3");

  /** Sends out in the last minutes, and did so eighty days ago. */
  static final IpAddress OLD_TALKER = IpAddress.parse("10.20.3.6");

  /** Speaks SSH with sixty hosts, usually with five. */
  static final IpAddress FAN_OUT = IpAddress.parse("10.20.3.4");

  /** Speaks with sixty web servers, as at this time of each day. */
  static final IpAddress PROXY = IpAddress.parse("10.20.3.5");

  /** Appears every three minutes. */
  static final IpAddress RETURNING = IpAddress.parse("192.0.2.9");

  /** Sends each second, in unknown amounts. */
  static final IpAddress UNCOUNTED = IpAddress.parse("203.0.113.9");

  private static final List<IpPrefix> INSIDE =
      List.of(IpPrefix.parse("10.20.0.0/16"), IpPrefix.parse("2001:db8:14::/48"));
  private static final long SECOND = 1_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final int DAYS = 7;
  private static final int SYN = 0x02;
  private static final int SYN_ACK = 0x12;
  private static final int CONNECTION = 0x1B;

  /** A flow: whole numbers and addresses by column; a missing column is NULL. */
  private record Row(long arrival, Map<FlowColumn, Object> values) {}

  private final SplittableRandom random;
  private final long end;
  private final List<Row> rows = new ArrayList<>();

  private PlantedTraffic(long seed, long end) {
    this.random = new SplittableRandom(seed);
    this.end = end;
  }

  /**
   * Returns the flows as batches, in the order of arrival.
   *
   * @param end when the last of them end: a full hour
   * @param rows of a batch
   */
  static List<FlowBatch> batches(long seed, Instant end, int rows) {
    long seconds = end.getEpochSecond();
    if (seconds % Duration.ofHours(1).toSeconds() != 0 || end.getNano() != 0) {
      throw new IllegalArgumentException("expected a full hour, found " + end);
    }
    PlantedTraffic traffic = new PlantedTraffic(seed, seconds * SECOND);
    traffic.plantCrowd();
    traffic.plantVolumes();
    traffic.plantScans();
    traffic.plantUsualScans();
    traffic.plantBeacons();
    traffic.plantTalkers();
    traffic.plantSteadyPairs();
    new PlantedThreats(traffic, traffic.random, traffic.end).plant();
    return traffic.build(rows);
  }

  private List<FlowBatch> build(int size) {
    rows.sort(Comparator.comparingLong(Row::arrival));
    List<FlowBatch> batches = new ArrayList<>();
    for (int from = 0; from < rows.size(); from += size) {
      List<Row> some = rows.subList(from, Math.min(rows.size(), from + size));
      FlowBatchBuilder builder = new FlowBatchBuilder(some.size());
      for (Row row : some) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, row.arrival());
        row.values().forEach((column, value) -> set(builder, column, value));
        builder.endRow();
      }
      int sofar = from + some.size();
      batches.add(FlowBatch.open(builder.build(1, batches.size(), sofar, 0)));
    }
    return batches;
  }

  private static void set(FlowBatchBuilder builder, FlowColumn column, Object value) {
    if (value instanceof IpAddress address) {
      builder.setAddress(column, address);
    } else {
      builder.set(column, (Long) value);
    }
  }

  /** Adds a flow that arrives soon after its end: pairs of column and value, null for NULL. */
  Map<FlowColumn, Object> add(long ends, Object... pairs) {
    return addArrived(ends, ends + 100_000 + random.nextInt(700_000), pairs);
  }

  private Map<FlowColumn, Object> addArrived(long ends, long arrival, Object... pairs) {
    Map<FlowColumn, Object> values = new TreeMap<>();
    values.put(FlowColumn.END_TIME, ends);
    for (int i = 0; i < pairs.length; i += 2) {
      put(values, (FlowColumn) pairs[i], pairs[i + 1]);
    }
    rows.add(new Row(arrival, values));
    return values;
  }

  static void put(Map<FlowColumn, Object> values, FlowColumn column, Object value) {
    if (value != null) {
      values.put(column, value instanceof Number n ? (Object) n.longValue() : value);
    }
  }

  Map<FlowColumn, Object> tcp(
      long ends, IpAddress from, int fromPort, IpAddress to, int port, int flags, long bytes) {
    return add(
        ends,
        FlowColumn.OUTGOING,
        isInside(from) ? 1 : 0,
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
        SyntheticFlow.TCP,
        FlowColumn.TCP_FLAGS,
        flags,
        FlowColumn.BYTES,
        bytes,
        FlowColumn.PACKETS,
        1 + bytes / 1000);
  }

  private static IpAddress inside(int host) {
    return host % 5 == 4
        ? new IpAddress(0x2001_0db8_0014_0000L, host + 1)
        : IpAddress.parse("10.20." + host / 50 + "." + (host % 50 + 1));
  }

  static boolean isInside(IpAddress address) {
    return INSIDE.stream().anyMatch(prefix -> prefix.contains(address.hi(), address.lo()));
  }

  private static IpAddress outside(int host) {
    return host % 6 == 5
        ? new IpAddress(0x2001_0db8_8000_0000L + ((long) (host / 3) << 16), host + 1)
        : IpAddress.parse("198.18." + host / 3 + "." + (host % 3 + 1));
  }

  /** A random time in the hour of this time of day, {@code day} days ago. */
  private long inHour(int day) {
    return end - day * DAY + random.nextLong(HOUR);
  }

  private boolean isOneOf(int n) {
    return random.nextInt(n) == 0;
  }

  private void plantCrowd() {
    conversation(end - 95 * DAY); // history begins
    for (int i = 0; i < 600; i++) {
      conversation(end - 1 - random.nextLong(30 * SECOND));
    }
    for (int i = 0; i < 3000; i++) {
      conversation(end - 1 - random.nextLong(30 * MINUTE));
      conversation(end - 1 - random.nextLong(8 * DAY));
    }
    for (int i = 0; i < 2500; i++) {
      conversation(inHour(1 + random.nextInt(DAYS)));
    }
  }

  /** Adds a flow of the crowd, with any kind of value and gap. */
  private void conversation(long ends) {
    boolean isOut = random.nextBoolean();
    IpAddress in = inside((int) (60 * Math.pow(random.nextDouble(), 2)));
    IpAddress out = outside((int) (180 * Math.pow(random.nextDouble(), 1.5)));
    long arrival = ends + random.nextInt(900_000);
    if (isOneOf(30)) { // usually late for its window of ten seconds
      arrival = ends + SECOND + random.nextLong(30 * SECOND);
    } else if (isOneOf(2000)) {
      arrival = ends - 2 * HOUR; // from a wrong clock
    }
    int kind = random.nextInt(20);
    int protocol = kind < 10 ? 6 : kind < 15 ? 17 : kind < 16 ? 1 : 30 + random.nextInt(14);
    boolean hasPorts = protocol == 6 || protocol == 17;
    int high = 20_000 + random.nextInt(40_000);
    int low = new int[] {22, 53, 80, 123, 443, 993, 3389, 8080}[random.nextInt(8)];
    Map<FlowColumn, Object> flow =
        addArrived(
            ends,
            arrival,
            FlowColumn.SRC_ADDR,
            isOneOf(200) ? null : isOut ? in : out,
            FlowColumn.DST_ADDR,
            isOneOf(200) ? null : isOut ? out : in,
            FlowColumn.PROTOCOL,
            isOneOf(300) ? null : protocol,
            FlowColumn.SRC_PORT,
            hasPorts ? isOut ? high : low : null,
            FlowColumn.DST_PORT,
            hasPorts ? isOut ? low : high : null,
            FlowColumn.BYTES,
            isOneOf(100) ? null : 40 + (long) (100 / Math.pow(1 - random.nextDouble(), 0.9)),
            FlowColumn.PACKETS,
            isOneOf(100) ? null : 1 + random.nextInt(50));
    if (isOneOf(200)) {
      flow.remove(FlowColumn.END_TIME); // it counts at its arrival
    } else if (!isOneOf(50)) {
      put(flow, FlowColumn.START_TIME, ends - random.nextLong(20 * SECOND));
    }
    put(flow, FlowColumn.OUTGOING, isOneOf(10) ? null : isOut ? 1 : 0);
    put(flow, FlowColumn.TCP_FLAGS, protocol == 6 && !isOneOf(20) ? CONNECTION : null);
    put(flow, FlowColumn.ICMP_TYPE_CODE, protocol == 1 ? isOut ? 8 << 8 : 0 : null);
    if (isOneOf(4)) {
      put(flow, FlowColumn.REVERSE_BYTES, random.nextLong(20_000));
      put(flow, FlowColumn.REVERSE_PACKETS, random.nextInt(20));
      put(flow, FlowColumn.STATE, isOneOf(2) ? null : 1 + random.nextInt(13));
    }
    put(flow, FlowColumn.SRC_AS, isOneOf(9) ? null : 64_500 + random.nextInt(30));
    put(flow, FlowColumn.DST_AS, isOneOf(9) ? null : 64_500 + random.nextInt(30));
    int exporter = random.nextInt(26);
    put(flow, FlowColumn.EXPORTER, IpAddress.parse("172.16.0." + (exporter + 1)));
    put(flow, FlowColumn.OBSERVATION_DOMAIN, exporter % 3);
    put(flow, FlowColumn.INPUT_IF, isOneOf(20) ? null : random.nextInt(4));
    put(
        flow,
        FlowColumn.SAMPLING_RATE,
        exporter % 4 == 0 ? (Integer) 100 : exporter % 4 == 1 ? (Integer) 1 : null);
  }

  /** Heavy senders, and hosts that send to a network of nobody's in the last five minutes. */
  private void plantVolumes() {
    for (int i = 0; i < 400; i++) {
      download(ELEPHANT, end - 1 - random.nextLong(5 * MINUTE), 400_000);
      download(REGULAR, end - 1 - random.nextLong(30 * MINUTE), 250_000);
    }
    for (int day = 1; day <= DAYS; day++) {
      for (int i = 0; i < 200; i++) {
        download(REGULAR, inHour(day), 2_000_000);
      }
      download(ELEPHANT, inHour(day), 5_000);
      for (int pair = 0; pair < 10; pair++) {
        for (int slot = -6; slot < 6; slot++) {
          long ends = end - day * DAY + slot * 5L * MINUTE + random.nextLong(5 * MINUTE);
          transfer(pair, outside(pair), ends, 5_000_000);
        }
      }
    }
    for (int pair = 0; pair < 10; pair++) {
      for (int minute = 0; minute < 30; minute++) {
        IpAddress to = minute < 5 ? IpAddress.parse("198.19.0." + (pair + 1)) : outside(pair);
        transfer(pair, to, end - 1 - minute * MINUTE, 1_000_000);
      }
    }
  }

  /** Pairs that always send the same at this time of day, so that other pairs stand out. */
  private void plantSteadyPairs() {
    for (int day = 0; day <= DAYS; day++) {
      for (int pair = 0; pair < 30; pair++) {
        for (int slot = day == 0 ? -6 : -12; slot < (day == 0 ? 0 : 12); slot++) {
          long ends = end - day * DAY + slot * 5L * MINUTE + random.nextLong(5 * MINUTE);
          long bytes = 4_000_000L + random.nextInt(400_000);
          transfer(70 + pair, outside(200 + pair), ends, bytes);
        }
      }
    }
  }

  private void download(IpAddress from, long ends, int bytes) {
    int port = 30_000 + random.nextInt(20_000);
    int sent = bytes / 2 + random.nextInt(bytes);
    tcp(ends, from, 443, inside(random.nextInt(60)), port, CONNECTION, sent);
  }

  private void transfer(int insideHost, IpAddress to, long ends, long bytes) {
    tcp(ends, inside(insideHost), 50_000, to, 873, CONNECTION, bytes);
  }

  private void plantScans() {
    for (int i = 0; i < 450; i++) { // three minutes
      long ends = end - 1 - i * 400_000L;
      tcp(ends, VERTICAL_SCANNER, 55_000, inside(7), 1 + i, SYN, 44);
      tcp(ends, inside(7), 1 + i, VERTICAL_SCANNER, 55_000, 0x14, 40); // refused
      IpAddress host = IpAddress.parse("10.20." + (10 + i / 250) + "." + i % 250);
      tcp(ends, HORIZONTAL_SCANNER, 55_001, host, 22, SYN, 44);
      IpAddress forged = IpAddress.parse("10.20." + (20 + i / 250) + "." + i % 250);
      tcp(ends, FLOOD_VICTIM, 80, forged, 1024 + i, SYN_ACK, 44);
      ping(ends, SWEEPER, host, 8);
      ping(ends, host, SWEEPER, 0);
    }
    for (int i = 0; i < 80; i++) { // a day and more
      long ends = end - 1 - i * 20L * MINUTE - random.nextLong(MINUTE);
      tcp(ends, SLOW_SCANNER, 55_002, inside(i % 40), 1000 + i, SYN, 44);
    }
  }

  private void ping(long ends, IpAddress from, IpAddress to, int type) {
    add(
        ends,
        FlowColumn.OUTGOING,
        isInside(from) ? 1 : 0,
        FlowColumn.SRC_ADDR,
        from,
        FlowColumn.DST_ADDR,
        to,
        FlowColumn.PROTOCOL,
        SyntheticFlow.ICMP,
        FlowColumn.ICMP_TYPE_CODE,
        type << 8,
        FlowColumn.BYTES,
        84,
        FlowColumn.PACKETS,
        1);
  }

  /** Hosts that speak with many hosts at this time of each day. */
  private void plantUsualScans() {
    for (int day = 0; day <= DAYS; day++) {
      for (int i = 0; i < 120; i++) {
        IpAddress device = IpAddress.parse("10.20.30." + (i + 1));
        for (int minute = 1; minute <= (day == 0 ? 3 : 1); minute++) {
          long ends = day == 0 ? end - 1 - minute * MINUTE + i * 450_000L : inHour(day);
          tcp(ends, POLLER, 40_000 + i, device, 161, SYN, 60);
        }
        if (i < 60) {
          long ends = day == 0 ? end - 1 - i * 9L * SECOND : inHour(day);
          tcp(ends, PROXY, 40_000 + i, outside(i), 443, CONNECTION, 3000);
          if (day == 0 || i < 5) {
            tcp(ends, FAN_OUT, 40_000 + i, outside(100 + i), 22, CONNECTION, 2000);
          }
        }
      }
    }
  }

  private void plantBeacons() {
    for (int i = 0; i < 290; i++) { // a day
      long beat = end - 2 * MINUTE - i * 5L * MINUTE;
      long jittered = beat + random.nextLong(20 * SECOND);
      tcp(jittered, BEACON_HOST, 45_000 + i % 72, BEACON_PEER, 443, CONNECTION, 700);
      tcp(jittered + 3 * SECOND, BEACON_HOST, 45_100 + i % 72, BEACON_PEER, 443, CONNECTION, 90);
      long anywhere = end - 1 - random.nextLong(DAY);
      tcp(anywhere, BEACON_HOST, 46_000 + i % 72, IRREGULAR_PEER, 443, CONNECTION, 700);
    }
    for (int i = 0; i < 40; i++) { // two hours
      long ends = end - 30 * SECOND - i * 3L * MINUTE;
      tcp(ends, RETURNING, 443, inside(3), 50_000, CONNECTION, 1500);
    }
  }

  private void plantTalkers() {
    for (int i = 0; i < 300; i++) {
      IpAddress to = inside(i % 60);
      tcp(end - 1 - i * SECOND, UNCOUNTED, 443, to, 50_000, CONNECTION, 1).remove(FlowColumn.BYTES);
    }
    for (int i = 0; i < 5; i++) {
      long ends = end - 1 - i * 20L * SECOND;
      tcp(ends, NEW_TALKER, 50_000, outside(i), 443, CONNECTION, 900);
      tcp(ends, OLD_TALKER, 50_000, outside(i), 443, CONNECTION, 900);
    }
    tcp(end - 80 * DAY, OLD_TALKER, 50_000, outside(1), 443, CONNECTION, 900);
  }
}
