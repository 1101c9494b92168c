package org.flowmon.archive.host;

import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
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
  private static final String ONE_WAY = "reverse_packets IS NULL AND state IS NULL";

  /** Whether the flags tell who began: SYN alone does, RST with ACK and without SYN refuses. */
  private static final String TOLD =
      "protocol = 6 AND tcp_flags IS NOT NULL"
          + " AND ((tcp_flags & 18) = 2 OR (tcp_flags & 22) = 20)";

  /** Whether the source is the server that answers, of a flow that has one direction. */
  private static final String REPLY =
      ONE_WAY
          + " AND src_port IS NOT NULL AND dst_port IS NOT NULL AND CASE WHEN "
          + TOLD
          + " THEN (tcp_flags & 18) <> 2 ELSE src_port < dst_port END";

  /** The server's port; NULL if both are such as clients take, and nothing else tells. */
  private static final String PORT =
      "CASE WHEN "
          + ONE_WAY
          + " AND src_port >= 32768 AND dst_port >= 32768 AND NOT COALESCE("
          + TOLD
          + ", FALSE) THEN NULL WHEN "
          + REPLY
          + " THEN src_port ELSE dst_port END";

  private static final String SERVICE =
      PORT + " AS service_port, CASE WHEN " + REPLY + " THEN 1 ELSE 0 END AS is_reply";

  /** So many ports with few flows each are a scan or its like, not services. */
  private static final int SCATTERED_PORTS = 50;

  private static final String HOUR = "TIME_BUCKET(end_time, INTERVAL '1' HOUR)";

  private final ArchiveSnapshot snapshot;
  private final IpAddress host;
  private final long from;
  private final long to;
  private final long nowFrom;
  private final QueryOptions options;
  private final Map<IpAddress, Sums> peers = new HashMap<>();
  private final Map<ServiceKey, ServiceSums> services = new HashMap<>();
  private final Map<Contact, Times> contacts = new HashMap<>();
  private final Map<IpAddress, Times> peerTimes = new HashMap<>();
  private final TreeMap<Long, Sums> hours = new TreeMap<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private final Sums all = new Sums();
  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  private record ServiceKey(@Nullable Long protocol, @Nullable Long port, boolean offered) {}

  /** A peer of a service; none is made for NULL. */
  private record Contact(ServiceKey service, IpAddress peer) {}

  /** Flows with a time of a contact or a peer, and those of them in the latest window. */
  private static final class Times {
    long timed;
    long recent;

    void add(long more, long recentOfThem) {
      timed += more;
      recent += recentOfThem;
    }

    boolean isNow() {
      return recent > 0;
    }

    boolean isBefore() {
      return timed > recent;
    }
  }

  private static class Sums {
    long flows;
    BigInteger sent = BigInteger.ZERO;
    BigInteger received = BigInteger.ZERO;

    void add(long count, BigInteger out, BigInteger back, boolean isDestination) {
      flows += count;
      sent = sent.add(isDestination ? back : out);
      received = received.add(isDestination ? out : back);
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
    countPeers();
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
        peerTimes.values().stream().filter(Times::isNow).count(),
        peerTimes.values().stream().filter(Times::isBefore).count(),
        ofPeers,
        serviceList(),
        scattered(),
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

  private static String side(boolean isDestination) {
    return isDestination ? "dst_addr" : "src_addr";
  }

  private ResultTable groups(
      String selected, String keys, String sums, String condition, long since) throws IOException {
    String sql =
        String.format(
            "SELECT %s, %s FROM flows WHERE %s%s%s GROUP BY %s",
            selected,
            sums,
            condition,
            since == Long.MIN_VALUE ? "" : " AND end_time >= :from",
            to == Long.MAX_VALUE ? "" : " AND end_time < :to",
            keys);
    Parameters values =
        Parameters.NONE
            .with("host", Value.ofAddress(host))
            .with("from", Value.ofTimestamp(since))
            .with("to", Value.ofTimestamp(to));
    QueryAnswer answer = ArchiveQuery.run(snapshot, QueryParser.parse(sql).bind(values), options);
    warnings.addAll(answer.stats().warnings());
    return answer.table();
  }

  /** Adds the flows in which the host is the destination, or the source. */
  private void contacts(boolean isDestination) throws IOException {
    String peer = side(!isDestination);
    String selected = peer + ", protocol, " + SERVICE;
    String keys = peer + ", protocol, service_port, is_reply";
    String ofHost = side(isDestination) + " = :host";
    ResultTable window =
        groups(selected, keys, "COUNT(*) AS flows", ofHost, Math.max(from, nowFrom));
    for (int row = 0; row < window.rowCount(); row++) {
      if (!window.isNull(row, 0)) {
        long recent = window.longValue(row, 4);
        addTimes(service(window, row, isDestination), window.address(row, 0), 0, recent);
      }
    }
    String times = ", COUNT(end_time) AS timed, MIN(end_time) AS first, MAX(end_time) AS last";
    ResultTable table = groups(selected, keys, SUMS + times, ofHost, from);
    for (int row = 0; row < table.rowCount(); row++) {
      contact(table, row, isDestination);
    }
  }

  private void addTimes(ServiceKey service, @Nullable IpAddress peer, long timed, long recent) {
    if (peer != null) {
      contacts.computeIfAbsent(new Contact(service, peer), key -> new Times()).add(timed, recent);
      peerTimes.computeIfAbsent(peer, key -> new Times()).add(timed, recent);
    }
  }

  private static ServiceKey service(ResultTable table, int row, boolean isDestination) {
    boolean isReply = table.longValue(row, 3) != 0;
    return new ServiceKey(
        table.isNull(row, 1) ? null : table.longValue(row, 1),
        table.isNull(row, 2) ? null : table.longValue(row, 2),
        isDestination != isReply);
  }

  private void contact(ResultTable table, int row, boolean isDestination) {
    long flows = table.longValue(row, 4);
    BigInteger out = table.bigValue(row, 5);
    BigInteger back = table.bigValue(row, 6);
    long timed = table.longValue(row, 7);
    ServiceKey key = service(table, row, isDestination);
    all.add(flows, out, back, isDestination);
    services.computeIfAbsent(key, any -> new ServiceSums()).add(flows, out, back, isDestination);
    IpAddress peer = table.address(row, 0);
    if (peer != null) {
      peers.computeIfAbsent(peer, any -> new Sums()).add(flows, out, back, isDestination);
      addTimes(key, peer, timed, 0);
    }
    if (timed > 0) {
      first = Math.min(first, table.longValue(row, 8));
      last = Math.max(last, table.longValue(row, 9));
    }
  }

  private void countPeers() {
    contacts.forEach(
        (contact, times) -> {
          ServiceSums service =
              Objects.requireNonNull(services.get(contact.service()), "a contact's service");
          service.peers++;
          service.now += times.isNow() ? 1 : 0;
          service.before += times.isBefore() ? 1 : 0;
        });
  }

  /** Of each side and protocol the ports with few flows, if they are many. */
  private List<HostSummary.Scattered> scattered() {
    Map<ServiceKey, List<ServiceKey>> groups = new HashMap<>();
    services.forEach(
        (key, sums) -> {
          if (key.port() != null && sums.flows <= HostSummary.MOST_FLOWS) {
            ServiceKey group = new ServiceKey(key.protocol(), null, key.offered());
            groups.computeIfAbsent(group, any -> new ArrayList<>()).add(key);
          }
        });
    List<HostSummary.Scattered> list = new ArrayList<>();
    groups.forEach(
        (group, keys) -> {
          if (keys.size() >= SCATTERED_PORTS) {
            list.add(scattered(group, keys));
          }
        });
    list.sort(Comparator.comparing(one -> -one.ports()));
    return list;
  }

  private HostSummary.Scattered scattered(ServiceKey group, List<ServiceKey> keys) {
    Set<ServiceKey> members = new HashSet<>(keys);
    ServiceSums sum = new ServiceSums();
    long lowest = Long.MAX_VALUE;
    long highest = Long.MIN_VALUE;
    for (ServiceKey key : keys) {
      ServiceSums one = Objects.requireNonNull(services.get(key), "a service");
      sum.flows += one.flows;
      sum.sent = sum.sent.add(one.sent);
      sum.received = sum.received.add(one.received);
      long port = Objects.requireNonNull(key.port(), "a port");
      lowest = Math.min(lowest, port);
      highest = Math.max(highest, port);
    }
    Map<IpAddress, Times> ofPeers = new HashMap<>();
    contacts.forEach(
        (contact, times) -> {
          if (members.contains(contact.service())) {
            ofPeers
                .computeIfAbsent(contact.peer(), any -> new Times())
                .add(times.timed, times.recent);
          }
        });
    return new HostSummary.Scattered(
        group.protocol(),
        group.offered(),
        keys.size(),
        lowest,
        highest,
        sum.flows,
        sum.sent,
        sum.received,
        ofPeers.size(),
        ofPeers.values().stream().filter(Times::isNow).count(),
        ofPeers.values().stream().filter(Times::isBefore).count());
  }

  private void hours(boolean isDestination) throws IOException {
    ResultTable table = groups(HOUR, HOUR, SUMS, side(isDestination) + " = :host", from);
    for (int row = 0; row < table.rowCount(); row++) {
      if (!table.isNull(row, 0)) {
        hours
            .computeIfAbsent(table.longValue(row, 0), hour -> new Sums())
            .add(
                table.longValue(row, 1),
                table.bigValue(row, 2),
                table.bigValue(row, 3),
                isDestination);
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
    ResultTable table = groups(HOUR, HOUR, "COUNT(*) AS flows", both, from);
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
