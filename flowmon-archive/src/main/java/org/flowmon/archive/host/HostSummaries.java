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
import org.flowmon.udaf.enrich.DerivedColumn;
import org.flowmon.udaf.enrich.FlowRoles;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Computes a {@link HostSummary} by queries over groups of peer, protocol and port: memory depends
 * on the number of groups, not of flows. Who is the server is what {@link FlowRoles} says; of flows
 * of one direction between ports above 1023, which are grouped by both ports, who sent the first
 * packet is the client. Not thread-safe.
 */
public final class HostSummaries {
  private static final String SUMS =
      "COUNT(*) AS flows, SUM(bytes) AS out, SUM(reverse_bytes) AS back";
  private static final String CONTACT_SUMS =
      SUMS
          + ", COUNT(end_time) AS timed, MIN(end_time) AS first, MAX(end_time) AS last,"
          + " COUNT(*) FILTER (WHERE end_time >= :recent) AS recent";

  /** Flows of one direction whose ports do not say who is the server. */
  private static final String OPEN =
      "reverse_packets IS NULL AND state IS NULL AND (src_port = dst_port"
          + " OR (src_port >= 1024 AND dst_port >= 1024))";

  /** The first packet, unless it is one amid a connection. */
  private static final String BEGAN =
      ", MIN(start_time) FILTER (WHERE protocol <> 6 OR COALESCE(tcp_flags, 0) = 0"
          + " OR (tcp_flags & 2) <> 0) AS began";

  private static final List<Boolean> BOTH = List.of(false, true); // source, destination

  private static final SelectItem ROLE =
      new SelectItem("role", new Expression.Derived(DerivedColumn.ROLE));

  /** Ports such as clients take. */
  private static final long EPHEMERAL = 32_768;

  /** So many ports with few flows each are a scan or its like, not services. */
  private static final int SCATTERED_PORTS = 50;

  private static final String HOUR = "TIME_BUCKET(end_time, INTERVAL '1' HOUR)";

  private final List<ArchiveSnapshot> snapshots;
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
      List<ArchiveSnapshot> snapshots,
      IpAddress host,
      long from,
      long to,
      long nowFrom,
      QueryOptions options) {
    this.snapshots = snapshots;
    this.host = host;
    this.from = from;
    this.to = to;
    this.nowFrom = nowFrom;
    this.options = options;
  }

  /**
   * Summarises a host over different archives, at least one, read as one, by {@code end_time} (µs)
   * in {@code [from, to)}, {@link Long#MIN_VALUE} and {@link Long#MAX_VALUE} for any; the latest
   * window starts at {@code nowFrom}.
   */
  public static HostSummary of(
      List<ArchiveSnapshot> snapshots,
      IpAddress host,
      long from,
      long to,
      long nowFrom,
      QueryOptions options)
      throws IOException {
    return new HostSummaries(snapshots, host, from, to, nowFrom, options).summary();
  }

  private HostSummary summary() throws IOException {
    contacts();
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
      String selected, String keys, String sums, String condition, boolean byRole)
      throws IOException {
    String sql =
        String.format(
            "SELECT %s, %s FROM flows WHERE %s%s%s GROUP BY %s",
            selected,
            sums,
            condition,
            from == Long.MIN_VALUE ? "" : " AND end_time >= :from",
            to == Long.MAX_VALUE ? "" : " AND end_time < :to",
            keys);
    Parameters values =
        Parameters.NONE
            .with("host", Value.ofAddress(host))
            .with("from", Value.ofTimestamp(from))
            .with("to", Value.ofTimestamp(to))
            .with("recent", Value.ofTimestamp(nowFrom));
    FlowQuery query = QueryParser.parse(sql).bind(values);
    QueryAnswer answer = ArchiveQuery.run(snapshots, byRole ? byRole(query) : query, options);
    warnings.addAll(answer.stats().warnings());
    return answer.table();
  }

  private static FlowQuery byRole(FlowQuery query) {
    List<SelectItem> select = new ArrayList<>(query.select());
    select.add(ROLE);
    List<Expression> keys = new ArrayList<>(query.groupBy());
    keys.add(ROLE.what());
    return new FlowQuery(select, query.where(), keys, query.orderBy(), query.limit());
  }

  private void contacts() throws IOException {
    List<ResultTable> open = open();
    String others = open.isEmpty() ? "" : " AND NOT COALESCE(" + OPEN + ", FALSE)";
    for (boolean isDestination : BOTH) {
      String peer = side(!isDestination);
      ResultTable table =
          groups(
              peer + " AS peer, protocol, server_port AS port",
              peer + ", protocol, server_port",
              CONTACT_SUMS,
              side(isDestination) + " = :host" + others,
              true);
      int port = table.column("port");
      for (int row = 0; row < table.rowCount(); row++) {
        contact(table, row, isDestination, service(table, row, port, isDestination));
      }
    }
    if (!open.isEmpty()) {
      conversations(open);
    }
  }

  /**
   * By peer and both ports: what the host sent, and what it received; empty if that is too much.
   */
  private List<ResultTable> open() throws IOException {
    try {
      List<ResultTable> tables = new ArrayList<>();
      for (boolean isDestination : BOTH) {
        String peer = side(!isDestination);
        tables.add(
            groups(
                peer + " AS peer, protocol, src_port, dst_port",
                peer + ", protocol, src_port, dst_port",
                CONTACT_SUMS + BEGAN,
                side(isDestination) + " = :host AND " + OPEN,
                true));
      }
      return tables;
    } catch (AnswerTooLargeException e) {
      warnings.add(
          "the lower port counts as the service, whoever began, of flows between ports above 1023:"
              + " there are too many to find that out (give --from and --to, or more heap)");
      return List.of();
    }
  }

  private void conversations(List<ResultTable> tables) {
    Map<Conversation.Ends, Conversation> all = new HashMap<>();
    for (boolean isDestination : BOTH) {
      ResultTable table = tables.get(isDestination ? 1 : 0);
      int began = table.column("began");
      for (int row = 0; row < table.rowCount(); row++) {
        all.computeIfAbsent(ends(table, row, isDestination), any -> new Conversation())
            .add(
                role(table, row),
                isDestination,
                table.isNull(row, began) ? Long.MAX_VALUE : table.longValue(row, began));
      }
    }
    for (boolean isDestination : BOTH) {
      ResultTable table = tables.get(isDestination ? 1 : 0);
      for (int row = 0; row < table.rowCount(); row++) {
        Conversation.Ends ends = ends(table, row, isDestination);
        Conversation of = Objects.requireNonNull(all.get(ends), "it was added");
        ServiceKey key =
            switch (of.server()) {
              case HOST -> new ServiceKey(ends.protocol(), ends.own(), true);
              case PEER -> new ServiceKey(ends.protocol(), ends.other(), false);
              case UNKNOWN -> {
                boolean isReversed = (role(table, row) & FlowRoles.REVERSED) != 0;
                int port = table.column(isReversed ? "src_port" : "dst_port");
                yield service(table, row, port, isDestination);
              }
            };
        contact(table, row, isDestination, key);
      }
    }
  }

  private static Conversation.Ends ends(ResultTable table, int row, boolean isDestination) {
    long source = table.longValue(row, table.column("src_port"));
    long target = table.longValue(row, table.column("dst_port"));
    return new Conversation.Ends(
        table.address(row, 0),
        table.isNull(row, 1) ? null : table.longValue(row, 1),
        isDestination ? target : source,
        isDestination ? source : target);
  }

  private static long role(ResultTable table, int row) {
    return table.longValue(row, table.column(ROLE.name()));
  }

  /** By the flow's role; none is known of a flow between two clients' ports. */
  private static ServiceKey service(ResultTable table, int row, int port, boolean isDestination) {
    long role = role(table, row);
    Long protocol = table.isNull(row, 1) ? null : table.longValue(row, 1);
    Long number = table.isNull(row, port) ? null : table.longValue(row, port);
    if ((role & FlowRoles.GUESSED) != 0 && number != null && number >= EPHEMERAL) {
      return new ServiceKey(protocol, null, isDestination);
    }
    return new ServiceKey(protocol, number, isDestination == ((role & FlowRoles.REVERSED) == 0));
  }

  private void addTimes(ServiceKey service, IpAddress peer, long timed, long recent) {
    contacts.computeIfAbsent(new Contact(service, peer), key -> new Times()).add(timed, recent);
    peerTimes.computeIfAbsent(peer, key -> new Times()).add(timed, recent);
  }

  private void contact(ResultTable table, int row, boolean isDestination, ServiceKey key) {
    long flows = table.longValue(row, table.column("flows"));
    BigInteger out = table.bigValue(row, table.column("out"));
    BigInteger back = table.bigValue(row, table.column("back"));
    long timed = table.longValue(row, table.column("timed"));
    all.add(flows, out, back, isDestination);
    services.computeIfAbsent(key, any -> new ServiceSums()).add(flows, out, back, isDestination);
    IpAddress peer = table.address(row, 0);
    if (peer != null) {
      peers.computeIfAbsent(peer, any -> new Sums()).add(flows, out, back, isDestination);
      addTimes(key, peer, timed, table.longValue(row, table.column("recent")));
    }
    if (timed > 0) {
      first = Math.min(first, table.longValue(row, table.column("first")));
      last = Math.max(last, table.longValue(row, table.column("last")));
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
    ResultTable table = groups(HOUR, HOUR, SUMS, side(isDestination) + " = :host", false);
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
    ResultTable table = groups(HOUR, HOUR, "COUNT(*) AS flows", both, false);
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
