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
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.enrich.DerivedColumn;
import org.flowmon.udaf.enrich.FlowRoles;
import org.flowmon.udaf.memory.GroupMemory;
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
 * on the number of groups, not of flows, and has the limit of one query. Who is the server is what
 * {@link FlowRoles} says; of flows of one direction between ports above 1023, which are grouped by
 * both ports, who sent the first packet is the client. Not thread-safe.
 */
public final class HostSummaries {
  private static final String SUMS =
      "COUNT(*) AS flows, SUM(bytes) AS out, SUM(reverse_bytes) AS back";
  private static final String CONTACT_SUMS =
      SUMS
          + ", COUNT(end_time) AS timed, MIN(end_time) AS first, MAX(end_time) AS last,"
          + " COUNT(*) FILTER (WHERE end_time >= :recent) AS recent";

  static final List<Boolean> BOTH = List.of(false, true); // source, destination

  private static final SelectItem ROLE =
      new SelectItem("role", new Expression.Derived(DerivedColumn.ROLE));

  /** Ports such as clients take. */
  private static final long EPHEMERAL = 32_768;

  /** So many ports with few flows each are a scan or its like, not services. */
  private static final int SCATTERED_PORTS = 50;

  // Bytes of heap, with their place in maps and in the summary.
  private static final long PEER_BYTES = 464;
  private static final long SERVICE_BYTES = 400;
  private static final long CONTACT_BYTES = 208;
  private static final long HOUR_BYTES = 256;

  private static final String HOUR = "TIME_BUCKET(end_time, INTERVAL '1' HOUR)";

  private final List<ArchiveSnapshot> snapshots;
  private final IpAddress host;
  private final long from;
  private final long to;
  private final long nowFrom;
  private final QueryOptions options;
  private final GroupMemory memory; // of the queries, their answers, and what is held of these
  private final Map<IpAddress, Sums> peers = new HashMap<>();
  private final Map<ServiceKey, Sums.OfService> services = new HashMap<>();
  private final Map<Contact, Sums.Times> contacts = new HashMap<>();
  private final Map<IpAddress, Sums.Times> peerTimes = new HashMap<>();
  private final TreeMap<Long, Sums> hours = new TreeMap<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private Sums all = new Sums();
  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  private record ServiceKey(@Nullable Long protocol, @Nullable Long port, boolean offered) {}

  /** A peer of a service; none is made for NULL. */
  private record Contact(ServiceKey service, IpAddress peer) {}

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
    this.memory = new GroupMemory(options.groupMemory());
  }

  /**
   * Summarises a host over different archives, at least one, read as one, by {@code end_time} (µs)
   * in {@code [from, to)}, {@link Long#MIN_VALUE} and {@link Long#MAX_VALUE} for any; the latest
   * window starts at {@code nowFrom}.
   *
   * @throws AnswerTooLargeException if its peers and services do not fit the options' memory
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
        peerTimes.values().stream().filter(Sums.Times::isNow).count(),
        peerTimes.values().stream().filter(Sums.Times::isBefore).count(),
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

  /** {@code held} takes the answer. */
  private ResultTable groups(
      GroupMemory held, String selected, String keys, String sums, String condition, boolean byRole)
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
    QueryAnswer answer =
        ArchiveQuery.run(
            snapshots,
            byRole ? byRole(query) : query,
            options.withGroupMemory(Math.max(0, memory.left())));
    warnings.addAll(answer.stats().warnings());
    held.take(answer.table().heapBytes());
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
    try {
      contacts(true);
    } catch (AnswerTooLargeException e) {
      peers.clear();
      services.clear();
      contacts.clear();
      peerTimes.clear();
      all = new Sums();
      first = Long.MAX_VALUE;
      last = Long.MIN_VALUE;
      memory.take(-memory.taken());
      warnings.add(
          "the lower port counts as the service, whoever began, of flows between ports above 1023:"
              + " there are too many to find that out (give --from and --to, or more heap)");
      contacts(false);
    }
  }

  private void contacts(boolean asksWhoBegan) throws IOException {
    try (GroupMemory held = memory.part()) {
      Optional<Conversations> open = asksWhoBegan ? Optional.of(open(held)) : Optional.empty();
      String others =
          asksWhoBegan ? " AND NOT COALESCE(" + Conversations.CONDITION + ", FALSE)" : "";
      for (boolean isDestination : BOTH) {
        contacts(isDestination, others);
      }
      open.ifPresent(this::conversations);
    }
  }

  private void contacts(boolean isDestination, String others) throws IOException {
    try (GroupMemory held = memory.part()) {
      String peer = side(!isDestination);
      ResultTable table =
          groups(
              held,
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
  }

  private Conversations open(GroupMemory held) throws IOException {
    List<ResultTable> tables = new ArrayList<>();
    for (boolean isDestination : BOTH) {
      String peer = side(!isDestination);
      tables.add(
          groups(
              held,
              peer + " AS peer, protocol, src_port, dst_port",
              peer + ", protocol, src_port, dst_port",
              CONTACT_SUMS + Conversations.BEGAN,
              side(isDestination) + " = :host AND " + Conversations.CONDITION,
              true));
    }
    return new Conversations(tables, held);
  }

  private void conversations(Conversations open) {
    for (boolean isDestination : BOTH) {
      ResultTable table = open.table(isDestination);
      for (int row = 0; row < table.rowCount(); row++) {
        Conversation.Ends ends = open.ends(row, isDestination);
        ServiceKey key =
            switch (open.server(ends)) {
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

  static long role(ResultTable table, int row) {
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

  /** Something new, whose bytes are taken before a map grows by it. */
  private <T> T held(long bytes, T made) {
    memory.take(bytes);
    return made;
  }

  private void addTimes(ServiceKey service, IpAddress peer, long timed, long recent) {
    contacts
        .computeIfAbsent(new Contact(service, peer), key -> held(CONTACT_BYTES, new Sums.Times()))
        .add(timed, recent);
    peerTimes.computeIfAbsent(peer, key -> new Sums.Times()).add(timed, recent);
  }

  private void contact(ResultTable table, int row, boolean isDestination, ServiceKey key) {
    long flows = table.longValue(row, table.column("flows"));
    BigInteger out = table.bigValue(row, table.column("out"));
    BigInteger back = table.bigValue(row, table.column("back"));
    long timed = table.longValue(row, table.column("timed"));
    all.add(flows, out, back, isDestination);
    services
        .computeIfAbsent(key, any -> held(SERVICE_BYTES, new Sums.OfService()))
        .add(flows, out, back, isDestination);
    IpAddress peer = table.address(row, 0);
    if (peer != null) {
      peers
          .computeIfAbsent(peer, any -> held(PEER_BYTES, new Sums()))
          .add(flows, out, back, isDestination);
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
          Sums.OfService service =
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
    Sums.OfService sum = new Sums.OfService();
    long lowest = Long.MAX_VALUE;
    long highest = Long.MIN_VALUE;
    for (ServiceKey key : keys) {
      Sums.OfService one = Objects.requireNonNull(services.get(key), "a service");
      sum.flows += one.flows;
      sum.sent = sum.sent.add(one.sent);
      sum.received = sum.received.add(one.received);
      long port = Objects.requireNonNull(key.port(), "a port");
      lowest = Math.min(lowest, port);
      highest = Math.max(highest, port);
    }
    Map<IpAddress, Sums.Times> ofPeers = new HashMap<>();
    contacts.forEach(
        (contact, times) -> {
          if (members.contains(contact.service())) {
            ofPeers
                .computeIfAbsent(contact.peer(), any -> new Sums.Times())
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
        ofPeers.values().stream().filter(Sums.Times::isNow).count(),
        ofPeers.values().stream().filter(Sums.Times::isBefore).count());
  }

  private void hours(boolean isDestination) throws IOException {
    ResultTable table = groups(memory, HOUR, HOUR, SUMS, side(isDestination) + " = :host", false);
    for (int row = 0; row < table.rowCount(); row++) {
      if (!table.isNull(row, 0)) {
        hours
            .computeIfAbsent(table.longValue(row, 0), hour -> held(HOUR_BYTES, new Sums()))
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
    ResultTable table = groups(memory, HOUR, HOUR, "COUNT(*) AS flows", both, false);
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
