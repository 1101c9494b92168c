package org.flowmon.archive.host;

import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Computes a {@link HostSummary} by queries over groups of peer, protocol and port: memory depends
 * on the number of groups, not of flows. Not thread-safe.
 */
public final class HostSummaries {
  private static final String SUMS =
      "COUNT(*) AS flows, SUM(bytes) AS out, SUM(reverse_bytes) AS back";
  private static final String HOUR = "TIME_BUCKET(end_time, INTERVAL '1' HOUR)";

  private final ArchiveSnapshot snapshot;
  private final IpAddress host;
  private final long from;
  private final long to;
  private final long nowFrom;
  private final QueryOptions options;
  private final Map<IpAddress, Sums> peers = new HashMap<>();
  private final Map<ServiceKey, ServiceSums> services = new HashMap<>();
  private final TreeMap<Long, Sums> hours = new TreeMap<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private final Sums all = new Sums();
  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  private record ServiceKey(@Nullable Long protocol, @Nullable Long port, boolean offered) {}

  /** A peer of a service; none is made for NULL. */
  private record Contact(ServiceKey service, @Nullable IpAddress peer) {}

  private static class Sums {
    long flows;
    BigInteger sent = BigInteger.ZERO;
    BigInteger received = BigInteger.ZERO;

    void add(long count, BigInteger out, BigInteger back, boolean offered) {
      flows += count;
      sent = sent.add(offered ? back : out);
      received = received.add(offered ? out : back);
    }
  }

  private static final class ServiceSums extends Sums {
    long peers;
    long now;
    long before;
  }

  private HostSummaries(
      ArchiveSnapshot snapshot,
      IpAddress host,
      long from,
      long to,
      long nowFrom,
      QueryOptions options) {
    this.snapshot = snapshot;
    this.host = host;
    this.from = from;
    this.to = to;
    this.nowFrom = nowFrom;
    this.options = options;
  }

  /**
   * Summarises a host over {@code end_time} (µs) in {@code [from, to)}, {@link Long#MIN_VALUE} and
   * {@link Long#MAX_VALUE} for any; the latest window starts at {@code nowFrom}.
   */
  public static HostSummary of(
      ArchiveSnapshot snapshot,
      IpAddress host,
      long from,
      long to,
      long nowFrom,
      QueryOptions options)
      throws IOException {
    return new HostSummaries(snapshot, host, from, to, nowFrom, options).summary();
  }

  private HostSummary summary() throws IOException {
    contacts(false);
    contacts(true);
    hours(false);
    hours(true);
    subtractSelf();
    List<HostSummary.Peer> ofPeers = new ArrayList<>();
    peers.forEach(
        (peer, sums) ->
            ofPeers.add(new HostSummary.Peer(peer, sums.flows, sums.sent, sums.received)));
    ofPeers.sort(
        Comparator.comparing((HostSummary.Peer p) -> p.sent().add(p.received()).negate())
            .thenComparing(p -> -p.flows())
            .thenComparing(HostSummary.Peer::address));
    List<HostSummary.Hour> ofHours = new ArrayList<>();
    hours.forEach(
        (hour, sums) ->
            ofHours.add(new HostSummary.Hour(hour, sums.flows, sums.sent, sums.received)));
    return new HostSummary(
        host,
        all.flows,
        first,
        last,
        all.sent,
        all.received,
        nowFrom,
        ofPeers,
        serviceList(),
        ofHours,
        List.copyOf(warnings));
  }

  private List<HostSummary.Service> serviceList() {
    List<HostSummary.Service> list = new ArrayList<>();
    services.forEach(
        (key, s) ->
            list.add(
                new HostSummary.Service(
                    key.protocol(),
                    key.port(),
                    key.offered(),
                    s.flows,
                    s.sent,
                    s.received,
                    s.peers,
                    s.now,
                    s.before)));
    Comparator<Long> nullsLast = Comparator.nullsLast(Comparator.naturalOrder());
    list.sort(
        Comparator.comparing((HostSummary.Service s) -> -s.flows())
            .thenComparing(HostSummary.Service::protocol, nullsLast)
            .thenComparing(HostSummary.Service::port, nullsLast)
            .thenComparing(HostSummary.Service::offered));
    return list;
  }

  private static String side(boolean offered) {
    return offered ? "dst_addr" : "src_addr";
  }

  private ResultTable groups(String keys, String sums, String condition, long since)
      throws IOException {
    String sql =
        String.format(
            "SELECT %1$s, %2$s FROM flows WHERE %3$s%4$s%5$s GROUP BY %1$s",
            keys,
            sums,
            condition,
            since == Long.MIN_VALUE ? "" : " AND end_time >= :from",
            to == Long.MAX_VALUE ? "" : " AND end_time < :to");
    Parameters values =
        Parameters.NONE
            .with("host", Value.ofAddress(host))
            .with("from", Value.ofTimestamp(since))
            .with("to", Value.ofTimestamp(to));
    QueryAnswer answer = ArchiveQuery.run(snapshot, QueryParser.parse(sql).bind(values), options);
    warnings.addAll(answer.stats().warnings());
    return answer.table();
  }

  private void contacts(boolean offered) throws IOException {
    String keys = side(!offered) + ", protocol, dst_port";
    String ofHost = side(offered) + " = :host";
    Map<Contact, Long> now = new HashMap<>();
    ResultTable window = groups(keys, "COUNT(*) AS flows", ofHost, Math.max(from, nowFrom));
    for (int row = 0; row < window.rowCount(); row++) {
      now.put(contact(window, row, offered), window.longValue(row, 3));
    }
    String times = ", COUNT(end_time) AS timed, MIN(end_time) AS first, MAX(end_time) AS last";
    ResultTable table = groups(keys, SUMS + times, ofHost, from);
    for (int row = 0; row < table.rowCount(); row++) {
      contact(table, row, contact(table, row, offered), now);
    }
  }

  private static Contact contact(ResultTable table, int row, boolean offered) {
    return new Contact(
        new ServiceKey(
            table.isNull(row, 1) ? null : table.longValue(row, 1),
            table.isNull(row, 2) ? null : table.longValue(row, 2),
            offered),
        table.address(row, 0));
  }

  private void contact(ResultTable table, int row, Contact contact, Map<Contact, Long> now) {
    long flows = table.longValue(row, 3);
    BigInteger out = table.bigValue(row, 4);
    BigInteger back = table.bigValue(row, 5);
    long timed = table.longValue(row, 6);
    boolean offered = contact.service().offered();
    all.add(flows, out, back, offered);
    ServiceSums service = services.computeIfAbsent(contact.service(), key -> new ServiceSums());
    service.add(flows, out, back, offered);
    if (contact.peer() != null) {
      peers.computeIfAbsent(contact.peer(), key -> new Sums()).add(flows, out, back, offered);
      long recent = now.getOrDefault(contact, 0L);
      service.peers++;
      service.now += recent > 0 ? 1 : 0;
      service.before += timed > recent ? 1 : 0;
    }
    if (timed > 0) {
      first = Math.min(first, table.longValue(row, 7));
      last = Math.max(last, table.longValue(row, 8));
    }
  }

  private void hours(boolean offered) throws IOException {
    ResultTable table = groups(HOUR, SUMS, side(offered) + " = :host", from);
    for (int row = 0; row < table.rowCount(); row++) {
      if (!table.isNull(row, 0)) {
        hours
            .computeIfAbsent(table.longValue(row, 0), hour -> new Sums())
            .add(table.longValue(row, 1), table.bigValue(row, 2), table.bigValue(row, 3), offered);
      }
    }
  }

  /** Flows of the host with itself were counted on both sides; their bytes go both ways. */
  private void subtractSelf() throws IOException {
    Sums self = peers.get(host);
    if (self == null) {
      return;
    }
    String both = "src_addr = :host AND dst_addr = :host";
    ResultTable table = groups(HOUR, "COUNT(*) AS flows", both, from);
    for (int row = 0; row < table.rowCount(); row++) {
      long twice = table.longValue(row, 1);
      all.flows -= twice;
      self.flows -= twice;
      if (!table.isNull(row, 0)) {
        Sums hour = hours.get(table.longValue(row, 0));
        Objects.requireNonNull(hour, "an hour of the host's flows").flows -= twice;
      }
    }
  }
}
