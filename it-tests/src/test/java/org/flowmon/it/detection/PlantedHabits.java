package org.flowmon.it.detection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Ninety-five days of a small office whose hosts have habits, some of which look like scans, and
 * scanners of its last day, some of which hide among habits. A flow is one way of a connection.
 */
final class PlantedHabits {
  private static final long SEED = 20_261_126;
  private static final long SECOND = 1_000_000;
  private static final long DAY = 24 * 3600 * SECOND;

  /** A midnight. */
  static final long END = 20_600 * DAY;

  private static final int DAYS = 95;
  private static final int SYN = 2;
  private static final int SYN_ACK = 0x12;
  private static final int CONNECTION = 0x1B;

  /**
   * A host and what it does.
   *
   * @param isNew whether it does on its last day for the first time what a scanner does
   */
  record Host(String address, String what, boolean isScanner, boolean isNew) {}

  private record Row(long end, String from, int fromPort, String to, int port, int flags) {}

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final List<Host> hosts = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();

  PlantedHabits() {
    plantServices();
    plantHabits();
    plantScanners();
  }

  List<Host> hosts() {
    return hosts;
  }

  List<FlowBatch> flows() {
    rows.sort(Comparator.comparingLong(Row::end));
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    for (Row row : rows) {
      builder.beginRow();
      builder.set(FlowColumn.START_TIME, row.end());
      builder.set(FlowColumn.END_TIME, row.end());
      builder.set(FlowColumn.ARRIVAL, row.end());
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(row.from()));
      builder.set(FlowColumn.SRC_PORT, row.fromPort());
      builder.setAddress(FlowColumn.DST_ADDR, IpAddress.parse(row.to()));
      builder.set(FlowColumn.DST_PORT, row.port());
      builder.set(FlowColumn.PROTOCOL, 6);
      builder.set(FlowColumn.TCP_FLAGS, row.flags());
      builder.set(FlowColumn.PACKETS, row.flags() == SYN ? 1 : 8);
      builder.set(FlowColumn.BYTES, row.flags() == SYN ? 60 : 4000);
      builder.endRow();
      if (builder.isFull()) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
    return batches;
  }

  private Host host(String address, String what, boolean isScanner) {
    Host host = new Host(address, what, isScanner, false);
    hosts.add(host);
    return host;
  }

  /** At a random time of a day; the last one is 1. */
  private void attempt(int day, Host from, String to, int port, boolean isAnswered) {
    long time = END - day * DAY + random.nextLong(DAY - SECOND);
    int fromPort = random.nextInt(33_000, 61_000);
    rows.add(new Row(time, from.address(), fromPort, to, port, isAnswered ? CONNECTION : SYN));
    if (isAnswered) {
      rows.add(new Row(time + 1000, to, port, from.address(), fromPort, SYN_ACK | CONNECTION));
    }
  }

  private static void eachDay(IntConsumer day) {
    for (int i = DAYS; i >= 1; i--) {
      day.accept(i);
    }
  }

  private static String server(int i) {
    return "10.1.9." + i;
  }

  /** A site outside that anybody may go to, by number. */
  private static String site(int i) {
    return "198.51." + i / 250 % 250 + "." + (1 + i % 250);
  }

  /** All servers answer at port 443 each day. */
  private void plantServices() {
    Host someone = host("10.1.0.10", "uses the office's 40 servers each day", false);
    eachDay(
        day -> {
          for (int i = 1; i <= 40; i++) {
            attempt(day, someone, server(i), 443, true);
          }
        });
  }

  private void plantHabits() {
    Host monitor = host("10.1.0.11", "polls 30 devices at any time, 20 of which are off", false);
    Host stale = host("10.1.0.12", "asks 8 servers that have long gone, at any time", false);
    Host browser = host("10.1.0.13", "goes to 100 new sites a day, 15 of which are dead", false);
    Host moved = host("10.1.0.14", "asks 3 services that have moved away a month ago", false);
    Host quiet = host("10.1.0.15", "asks 2 sites outside in vain, and no other ones", false);
    Host peer = host("10.1.0.16", "finds 60 new peers a day, a third of which answer", false);
    Host patient = host("10.1.0.18", "asks a license server 30 times a day, which is off", false);
    eachDay(
        day -> {
          for (int i = 1; i <= 30; i++) {
            attempt(day, patient, "10.1.7.99", 27_000, false);
            attempt(day, monitor, "10.1.8." + i, 9100, i > 20);
          }
          for (int i = 1; i <= 8; i++) {
            attempt(day, stale, "10.1.7." + i, 8443, false);
          }
          for (int i = 0; i < 100; i++) {
            attempt(day, browser, site(day * 100 + i), 443, i >= 15);
          }
          for (int i = 1; day > 30 && i <= 3; i++) {
            attempt(day, moved, server(i), 8080, true);
          }
          for (int i = 0; i < 60; i++) {
            String to = "203.0." + random.nextInt(113, 250) + "." + random.nextInt(1, 255);
            attempt(day, peer, to, random.nextInt(10_000, 60_000), i % 3 == 0);
          }
        });
    for (int i = 1; i <= 3; i++) {
      attempt(1, moved, server(i), 8080, false);
    }
    attempt(1, quiet, "192.0.2.10", 123, false);
    attempt(1, quiet, "192.0.2.11", 123, false);
    Host poller = new Host("10.1.0.17", "polls 12 dead devices for the first time", false, true);
    hosts.add(poller);
    for (int i = 1; i <= 12; i++) {
      attempt(1, poller, "10.1.6." + i, 161, false);
    }
  }

  private void plantScanners() {
    Host hidden = host("10.1.0.20", "tries 6 services, among its usual 120 sites", true);
    Host dead = host("10.1.0.21", "tries 3 dead services, and goes to 4 new sites", true);
    Host failing = host("10.1.0.22", "tries 5 hosts, and polls 12 that are off as usual", true);
    eachDay(
        day -> {
          for (int i = 0; i < 120; i++) {
            attempt(day, hidden, site(30_000 + i), 443, true);
          }
          for (int i = 1; i <= 12; i++) {
            attempt(day, failing, "10.1.8." + i, 9100, false);
          }
        });
    for (int i = 1; i <= 6; i++) {
      attempt(1, hidden, server(i), 22, false);
    }
    for (int i = 1; i <= 3; i++) {
      attempt(1, dead, server(10 + i), 3389, false);
    }
    for (int i = 0; i < 4; i++) {
      attempt(1, dead, site(40_000 + i), 443, true);
    }
    for (int i = 1; i <= 5; i++) {
      attempt(1, failing, "10.1.5." + i, 445, false);
    }
    Host open = host("198.18.0.1", "tries 300 services from outside", true);
    for (int i = 0; i < 300; i++) {
      attempt(1, open, server(1 + i % 40), 1 + i, false);
    }
    Host shy = host("198.18.0.2", "tries 2 dead services from outside", true);
    attempt(1, shy, server(30), 3306, false);
    attempt(1, shy, server(31), 3306, false);
  }
}
