package org.flowmon.deploy.host;

import java.io.PrintWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.host.HostSummary;
import org.flowmon.deploy.output.FittedTable;
import org.flowmon.deploy.output.Units;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.enrich.KnownNames;
import org.jspecify.annotations.Nullable;

/** A host's summary for people, in tables of 80 columns. */
final class HostTables {
  private final HostSummary host;
  private final int limit;
  private final boolean ranges;
  private final boolean raw;

  /** {@code ranges}: numbers as powers of two; {@code raw}: plain, without units and names. */
  HostTables(HostSummary host, int limit, boolean ranges, boolean raw) {
    this.host = host;
    this.limit = limit;
    this.ranges = ranges;
    this.raw = raw;
  }

  /** A table as it grows by rows. */
  private static final class Rows {
    private final List<List<List<String>>> columns = new ArrayList<>();
    private int rows;

    void add(String... cells) {
      for (int c = 0; c < cells.length; c++) {
        if (columns.size() == c) {
          columns.add(new ArrayList<>());
        }
        columns.get(c).add(List.of(cells[c]));
      }
      rows++;
    }

    /** Of columns after the first {@code left} the values stand to the right. */
    void write(PrintWriter out, int left, String... names) {
      List<FittedTable.Column> all = new ArrayList<>();
      for (int c = 0; c < columns.size(); c++) {
        // What was received goes first if the table is too wide, then what was sent.
        int rank = c < left || c == columns.size() - 1 ? 0 : c;
        all.add(FittedTable.Column.of(names[c], columns.get(c), c >= left, rank));
      }
      new FittedTable(all, rows).write(out);
    }
  }

  void write(PrintWriter out) {
    out.printf(
        "%s: %s flows, %s sent, %s received%n",
        host.address(), count(host.flows()), bytes(host.sent()), bytes(host.received()));
    FittedTable.wrapped(seen(), "", out);
    peers(out);
    services(out);
    hours(out);
  }

  private String count(long number) {
    return ranges
        ? HostSummary.magnitude(BigInteger.valueOf(number))
        : raw ? Long.toString(number) : Units.count(number);
  }

  private String bytes(BigInteger number) {
    return ranges
        ? HostSummary.magnitude(number) + " B"
        : raw ? number.toString() : Units.bytes(number.doubleValue());
  }

  /** The range of the flows' own times; {@code flowmon seen} also uses arrival. */
  private String seen() {
    if (FlowTime.textOrNull(host.firstSeen()) == null) {
      return host.flows() == 0 ? "never seen" : "none of its flows says when it ended";
    }
    return "first seen "
        + FlowTime.textOrNull(host.firstSeen())
        + ", last seen "
        + FlowTime.textOrNull(host.lastSeen())
        + ", by when its flows ended";
  }

  private void peers(PrintWriter out) {
    out.printf(
        "%n%s peers: %s since %s, %s before%n",
        count(host.peers().size()),
        count(host.peersNow()),
        FlowTime.textOrNull(host.nowFrom()),
        count(host.peersBefore()));
    Rows rows = new Rows();
    for (HostSummary.Peer peer : first(host.peers())) {
      rows.add(
          peer.address().toString(),
          count(peer.flows()),
          bytes(peer.sent()),
          bytes(peer.received()));
    }
    rows.write(out, 1, "peer", "flows", "sent", "received");
    leftOut(host.peers().size(), "more peers", out);
  }

  private void services(PrintWriter out) {
    List<HostSummary.Service> single =
        host.services().stream()
            .filter(one -> host.scattered().stream().noneMatch(group -> group.holds(one)))
            .toList();
    out.printf(
        "%n%s services; now is since %s%n",
        count(single.size() + host.scattered().size()), FlowTime.textOrNull(host.nowFrom()));
    Rows rows = new Rows();
    for (HostSummary.Scattered one : host.scattered()) {
      rows.add(
          one.offered() ? "offers" : "uses",
          protocol(one.protocol()) + " " + count(one.ports()) + " ports",
          count(one.flows()),
          bytes(one.sent()),
          bytes(one.received()),
          count(one.peersNow()),
          count(one.peersBefore()));
    }
    for (HostSummary.Service one : first(single)) {
      rows.add(
          one.offered() ? "offers" : "uses",
          service(one.protocol(), one.port()),
          count(one.flows()),
          bytes(one.sent()),
          bytes(one.received()),
          count(one.peersNow()),
          count(one.peersBefore()));
    }
    rows.write(out, 2, "side", "service", "flows", "sent", "received", "peers now", "peers before");
    leftOut(single.size(), "more services", out);
  }

  private void hours(PrintWriter out) {
    out.println();
    List<HostSummary.Hour> hours = host.hours();
    leftOut(hours.size(), "earlier hours", out);
    Rows rows = new Rows();
    for (HostSummary.Hour hour : hours.subList(Math.max(0, hours.size() - limit), hours.size())) {
      rows.add(
          String.valueOf(FlowTime.textOrNull(hour.start())),
          count(hour.flows()),
          bytes(hour.sent()),
          bytes(hour.received()));
    }
    rows.write(out, 1, "hour", "flows", "sent", "received");
  }

  private String protocol(@Nullable Long protocol) {
    if (protocol == null) {
      return "unknown";
    }
    String name = raw ? null : KnownNames.protocol(protocol);
    return name == null ? "protocol " + protocol : name;
  }

  /** As {@code tcp/443 https}. */
  private String service(@Nullable Long protocol, @Nullable Long port) {
    if (port == null) {
      boolean hasPorts = protocol != null && (protocol == 6 || protocol == 17);
      return protocol(protocol) + (hasPorts ? ", no known port" : "");
    }
    String name = raw ? null : KnownNames.port(port);
    return protocol(protocol) + "/" + port + (name == null ? "" : " " + name);
  }

  private <T> List<T> first(List<T> all) {
    return all.subList(0, Math.min(limit, all.size()));
  }

  private void leftOut(int rows, String what, PrintWriter out) {
    if (rows > limit) {
      out.printf("(%s %s: --limit)%n", count(rows - limit), what);
    }
  }
}
