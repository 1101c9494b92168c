package org.flowmon.jobs.offered;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.jobs.offered.ProgramsOfHosts.Scans;

/** The programs of first_contact and scan_networks. */
final class ProgramsOfScans {
  private ProgramsOfScans() {}

  static String shape(long hosts, long ports) {
    return hosts > 5 ? ports > 5 ? "mixed" : "hosts" : ports > 5 ? "ports" : "few";
  }

  /** What a source tried in a day: in vain, with success, or in the past, too. */
  private static final class Tried {
    final Set<List<?>> past = new HashSet<>();
    final Set<List<?>> now = new HashSet<>();
    final Set<List<?>> hits = new HashSet<>();

    Set<List<?>> missed() {
      Set<List<?>> missed = new HashSet<>(now);
      missed.removeAll(past);
      missed.removeAll(hits);
      return missed;
    }

    Set<List<?>> met() {
      Set<List<?>> met = new HashSet<>(hits);
      met.removeAll(past);
      return met;
    }

    long usual() {
      return now.stream().filter(past::contains).count();
    }
  }

  static final class FirstContact extends Program {
    FirstContact(List<PlainFlow> flows) {
      super(flows, DAY, 0, 0);
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, Scans::isTold);
      if (now.isEmpty()) {
        return null;
      }
      Map<List<?>, List<PlainFlow>> groups =
          groups(now, flow -> Arrays.asList(PlainRole.of(flow).client()));
      groups.values().removeIf(group -> missed(group) < 2);
      Map<Object, Tried> tried = tried(end, groups);
      Map<Object, Set<Object>> services = services(end);
      List<Found> found = new ArrayList<>();
      groups.forEach((key, group) -> found.add(found(key.get(0), group, tried, services)));
      found.removeIf(one -> one.evidence < 4.595 && one.walk < 4);
      found.sort(
          Comparator.comparing((Found one) -> -one.evidence).thenComparing(one -> -one.targets));
      List<String> rows = new ArrayList<>();
      for (Found one : found.subList(0, Math.min(100, found.size()))) {
        rows.add(one.row(rows.size() + 1));
      }
      return rows;
    }

    private static long missed(List<PlainFlow> group) {
      return different(group, Scans::target) - different(Scans.answered(group), Scans::target);
    }

    /** Of the sources that are asked for, by source. */
    private Map<Object, Tried> tried(long end, Map<List<?>, List<PlainFlow>> groups) {
      Set<Object> asked = new HashSet<>();
      groups.forEach(
          (key, group) -> {
            if (key.get(0) != null && missed(group) <= 1000) {
              asked.add(key.get(0));
            }
          });
      Map<Object, Tried> tried = new HashMap<>();
      for (PlainFlow flow : flows) {
        Object client = PlainRole.of(flow).client();
        boolean isAsked = asked.contains(client) && Scans.isTold(flow);
        if (!isAsked || !flow.ended(end - 31 * DAY, end, end)) {
          continue;
        }
        Tried own = tried.computeIfAbsent(client, c -> new Tried());
        boolean isPast = flow.end() < end - DAY;
        (isPast ? own.past : own.now).add(Scans.target(flow));
        if (!isPast && PlainRole.of(flow).answered()) {
          own.hits.add(Scans.target(flow));
        }
      }
      return tried;
    }

    /** What answered somebody in 90 days, by host. */
    private Map<Object, Set<Object>> services(long end) {
      Map<Object, Set<Object>> services = new HashMap<>();
      for (PlainFlow flow : flows) {
        PlainRole role = PlainRole.of(flow);
        if (Boolean.TRUE.equals(role.answered()) && flow.ended(end - 90 * DAY, end, end)) {
          List<?> target = Scans.target(flow);
          services.computeIfAbsent(target.get(0), host -> new HashSet<>()).add(target.get(1));
        }
      }
      return services;
    }

    private static Found found(
        Object source,
        List<PlainFlow> group,
        Map<Object, Tried> tried,
        Map<Object, Set<Object>> services) {
      Found found = new Found();
      found.source = source;
      found.flows = group.size();
      found.targets = missed(group);
      found.answered = different(Scans.answered(group), Scans::target);
      found.pinged = Scans.pinged(group);
      found.walk = found.targets - found.answered + 0.75 * found.pinged;
      List<PlainFlow> vain = Scans.unanswered(group);
      found.hosts = different(vain, flow -> Arrays.asList(PlainRole.of(flow).server()));
      found.ports = different(vain, flow -> Arrays.asList(PlainRole.of(flow).port()));
      Tried own = tried.get(source);
      if (own != null) {
        Set<List<?>> missed = own.missed();
        found.targets = missed.size();
        found.answered = own.met().size();
        found.pinged = own.met().stream().filter(t -> isPing(t.get(1))).count();
        found.hosts = missed.stream().map(t -> t.get(0)).distinct().count();
        found.ports =
            missed.stream().map(t -> t.get(1)).filter(p -> (Long) p < 65_536).distinct().count();
        found.usual = own.usual();
        found.dead = missed.stream().filter(target -> isDead(target, services)).count();
      }
      found.evidence =
          1.386 * (found.targets - found.dead)
              + 3.689 * found.dead
              - 1.386 * (found.answered - 0.75 * found.pinged);
      return found;
    }

    private static boolean isPing(Object target) {
      return target.equals(65_537L) || target.equals(65_594L);
    }

    private static boolean isDead(List<?> target, Map<Object, Set<Object>> services) {
      Set<Object> own = services.get(target.get(0));
      return own == null
          ? PlainFlow.isPrivate((IpAddress) target.get(0))
          : !own.contains(target.get(1));
    }
  }

  private static final class Found {
    private Object source;
    private long targets;
    private long dead;
    private long answered;
    private long pinged;
    private Long usual;
    private long hosts;
    private long ports;
    private int flows;
    private double walk;
    private double evidence;

    String row(int rank) {
      String shape = shape(hosts, ports);
      boolean isPeer =
          shape.equals("mixed") && targets < 2 * hosts && answered >= 0.2 * (targets + answered);
      String verdict = evidence < 4.595 ? "usual" : isPeer ? "peers" : "scan";
      return Cells.line(
          rank, source, targets, dead, answered, pinged, usual, hosts, ports, shape, flows,
          evidence, 90.0, verdict);
    }
  }

  /** Networks outside, by the rule of scans. */
  static final class ScanNetworks extends Program {
    ScanNetworks(List<PlainFlow> flows) {
      super(flows, DAY, SECOND, 0);
    }

    private static boolean isOfOutside(PlainFlow flow) {
      IpAddress client = PlainRole.of(flow).client();
      boolean isSource = client.equals(flow.source());
      return Scans.isTold(flow)
          && !((isSource && flow.outgoing() != null)
              ? flow.outgoing()
              : PlainFlow.isPrivate(client));
    }

    private static IpAddress network(PlainFlow flow) {
      IpAddress client = PlainRole.of(flow).client();
      return new IpPrefix(client, client.isIpv4() ? 24 : 64).first();
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now =
          window(end, flow -> PlainRole.of(flow).client() != null && isOfOutside(flow));
      if (now.isEmpty()) {
        return null;
      }
      Map<List<?>, List<PlainFlow>> groups = groups(now, flow -> Arrays.asList(network(flow)));
      groups.values().removeIf(group -> sources(group) < 2 || !isScan(group));
      List<List<?>> keys = new ArrayList<>(groups.keySet());
      keys.sort(Comparator.comparingLong(key -> -FirstContact.missed(groups.get(key))));
      List<String> rows = new ArrayList<>();
      for (List<?> key : keys.subList(0, Math.min(100, keys.size()))) {
        rows.add(row(rows.size() + 1, key.get(0), groups.get(key)));
      }
      return rows;
    }

    private static long sources(List<PlainFlow> group) {
      return different(group, flow -> Arrays.asList(PlainRole.of(flow).client()));
    }

    private static boolean isScan(List<PlainFlow> group) {
      long answered = different(Scans.answered(group), Scans::target);
      return 4 * (FirstContact.missed(group) - answered) + 3 * Scans.pinged(group) >= 16;
    }

    private static String row(int rank, Object network, List<PlainFlow> group) {
      List<PlainFlow> vain = Scans.unanswered(group);
      long hosts = different(vain, flow -> Arrays.asList(PlainRole.of(flow).server()));
      long ports = different(vain, flow -> Arrays.asList(PlainRole.of(flow).port()));
      return Cells.line(
          rank,
          network,
          sources(group),
          FirstContact.missed(group),
          different(Scans.answered(group), Scans::target),
          Scans.pinged(group),
          hosts,
          ports,
          shape(hosts, ports),
          group.size(),
          "scan");
    }
  }
}
