package org.flowmon.it.detection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.jspecify.annotations.Nullable;

/** Rules that others publish for who scans, by their documentation and defaults, over flows. */
final class PublishedRules {
  private static final long SECOND = 1_000_000;
  private static final long MINUTE = 60 * SECOND;
  private static final int SYN = 2;
  private static final int RST = 4;
  private static final int ACK = 16;
  private static final List<IpPrefix> LOCAL =
      List.of(
          IpPrefix.parse("10.0.0.0/8"),
          IpPrefix.parse("172.16.0.0/12"),
          IpPrefix.parse("192.168.0.0/16"),
          IpPrefix.parse("fc00::/7"),
          IpPrefix.parse("fe80::/10"));

  private PublishedRules() {}

  /** By name: the sources that a rule names. */
  static Map<String, Function<List<Flow>, Set<String>>> all() {
    Map<String, Function<List<Flow>, Set<String>>> rules = new LinkedHashMap<>();
    rules.put("Zeek, simple-scan", PublishedRules::zeek);
    rules.put("Slips", PublishedRules::slips);
    rules.put("SiLK, rwscan's regression", PublishedRules::silk);
    rules.put("random walk by host", PublishedRules::randomWalk);
    return rules;
  }

  /** A flow; unknown numbers are -1. */
  record Flow(
      long start,
      long end,
      IpAddress source,
      IpAddress target,
      long sourcePort,
      long port,
      long protocol,
      long bytes,
      long packets,
      long flags,
      long reversePackets,
      long state) {

    static List<Flow> of(List<FlowBatch> batches) {
      List<Flow> flows = new ArrayList<>();
      for (FlowBatch batch : batches) {
        for (int row = 0; row < batch.rows(); row++) {
          long end = number(batch, row, FlowColumn.END_TIME);
          long start = number(batch, row, FlowColumn.START_TIME);
          flows.add(
              new Flow(
                  start < 0 ? end : start,
                  end,
                  batch.getAddress(FlowColumn.SRC_ADDR, row),
                  batch.getAddress(FlowColumn.DST_ADDR, row),
                  number(batch, row, FlowColumn.SRC_PORT),
                  number(batch, row, FlowColumn.DST_PORT),
                  number(batch, row, FlowColumn.PROTOCOL),
                  number(batch, row, FlowColumn.BYTES),
                  number(batch, row, FlowColumn.PACKETS),
                  number(batch, row, FlowColumn.TCP_FLAGS),
                  number(batch, row, FlowColumn.REVERSE_PACKETS),
                  number(batch, row, FlowColumn.STATE)));
        }
      }
      flows.sort(Comparator.comparingLong(Flow::start));
      return flows;
    }

    private static long number(FlowBatch batch, int row, FlowColumn column) {
      return batch.isNull(column, row) ? -1 : batch.getLong(column, row);
    }

    boolean isTcp() {
      return protocol == 6;
    }

    /** What the source sent: of a connection log by its state. */
    boolean hasAck() {
      return flags >= 0 ? (flags & ACK) != 0 : state < 0 || !isRefused();
    }

    private boolean isRefused() {
      return state == 1 || state == 4 || state == 9;
    }

    /** A SYN that nothing or a reset answered: Zeek's histories S, SW, Sr, SWr. */
    boolean isFailedTry() {
      return isTcp() && (state >= 0 ? state == 1 || state == 4 : (flags & (SYN | ACK)) == SYN);
    }

    boolean isNotEstablished() {
      if (state >= 0) {
        return isRefused() || state == 10 || state == 11;
      }
      return (isTcp() && flags >= 0) ? !hasAck() && (flags & RST) == 0 : reversePackets == 0;
    }

    List<Object> service() {
      return List.of(target, port);
    }
  }

  private static Map<IpAddress, List<Flow>> bySource(List<Flow> flows) {
    return flows.stream()
        .collect(Collectors.groupingBy(Flow::source, LinkedHashMap::new, Collectors.toList()));
  }

  private static boolean isLocal(IpAddress address) {
    return LOCAL.stream().anyMatch(prefix -> prefix.contains(address.hi(), address.lo()));
  }

  /** 25 services in vain within 15 minutes, of a local source 250; of one port 20 hosts. */
  private static Set<String> zeek(List<Flow> flows) {
    Set<String> named = new TreeSet<>();
    bySource(flows)
        .forEach(
            (source, own) -> {
              Deque<Flow> last = new ArrayDeque<>();
              Map<Object, Integer> triesOfService = new HashMap<>();
              Map<Long, Integer> triesOfPort = new HashMap<>();
              int most = isLocal(source) ? 250 : 25;
              for (Flow flow : own) {
                if (!flow.isFailedTry()) {
                  continue;
                }
                last.add(flow);
                triesOfService.merge(flow.service(), 1, Integer::sum);
                triesOfPort.merge(flow.port(), 1, Integer::sum);
                while (last.getFirst().start() < flow.start() - 15 * MINUTE) {
                  Flow old = last.removeFirst();
                  triesOfService.computeIfPresent(old.service(), PublishedRules::oneLess);
                  triesOfPort.computeIfPresent(old.port(), PublishedRules::oneLess);
                }
                int services = triesOfService.size();
                int ports = triesOfPort.size();
                if (services >= most || (ports == 1 && services >= 20)) {
                  named.add(source.toString());
                  return;
                }
              }
            });
    return named;
  }

  private static @Nullable Integer oneLess(Object key, int tries) {
    return tries == 1 ? null : tries - 1;
  }

  /** More than five hosts at a port, or ports of a host, in vain within an hour. */
  private static Set<String> slips(List<Flow> flows) {
    Map<List<Object>, Set<Object>> reached = new HashMap<>();
    for (Flow flow : flows) {
      if (flow.isNotEstablished() && flow.port() >= 0) {
        long hour = flow.start() / (60 * MINUTE);
        List<Object> vertical = List.of(flow.source(), hour, flow.protocol(), flow.target());
        List<Object> horizontal = List.of(flow.source(), hour, flow.protocol(), flow.port());
        reached.computeIfAbsent(vertical, key -> new HashSet<>()).add(flow.port());
        reached.computeIfAbsent(horizontal, key -> new HashSet<>()).add(flow.target());
      }
    }
    Set<String> named = new TreeSet<>();
    reached.forEach(
        (key, others) -> {
          if (others.size() > 5) {
            named.add(key.get(0).toString());
          }
        });
    return named;
  }

  /** Logistic regressions over 32 flows or more that follow one another within five minutes. */
  private static Set<String> silk(List<Flow> flows) {
    Set<String> named = new TreeSet<>();
    bySource(flows)
        .forEach(
            (source, own) -> {
              for (long protocol : new long[] {6, 17}) {
                List<Flow> event = new ArrayList<>();
                for (Flow flow : own) {
                  if (flow.protocol() != protocol) {
                    continue;
                  }
                  boolean isNext =
                      !event.isEmpty()
                          && flow.start() - event.get(event.size() - 1).start() > 300 * SECOND;
                  if (isNext && isScan(event, protocol)) {
                    named.add(source.toString());
                  }
                  if (isNext) {
                    event.clear();
                  }
                  event.add(flow);
                }
                if (isScan(event, protocol)) {
                  named.add(source.toString());
                }
              }
            });
    return named;
  }

  /** The regression of a protocol over all flows of a source that ended on a day. */
  static Set<String> regressionOfADay(List<Flow> flows, long protocol) {
    Map<List<Object>, List<Flow>> events = new HashMap<>();
    for (Flow flow : flows) {
      if (flow.protocol() == protocol) {
        long day = Math.floorDiv(flow.end(), 24 * 60 * MINUTE);
        events.computeIfAbsent(List.of(flow.source(), day), of -> new ArrayList<>()).add(flow);
      }
    }
    Set<String> named = new TreeSet<>();
    events.forEach(
        (key, event) -> {
          if (isScan(event, protocol)) {
            named.add(key.get(0).toString());
          }
        });
    return named;
  }

  private static boolean isScan(List<Flow> event, long protocol) {
    return event.size() >= 32 && (protocol == 6 ? ofTcp(event) : ofUdp(event)) > 0;
  }

  private static double share(List<Flow> event, Predicate<Flow> which) {
    return (double) event.stream().filter(which).count() / event.size();
  }

  private static double different(List<Flow> event, Function<Flow, Object> of) {
    return (double) event.stream().map(of).distinct().count() / event.size();
  }

  private static boolean isBackscatter(Flow flow) {
    return flow.flags() == RST || flow.flags() == (SYN | ACK) || flow.flags() == (RST | ACK);
  }

  private static boolean hasPayload(Flow flow) {
    return flow.packets() > 0 && flow.bytes() / flow.packets() > 60;
  }

  /** Source ports for each target. */
  private static double sourcePorts(List<Flow> event) {
    return different(event, Flow::sourcePort) / different(event, Flow::target);
  }

  private static double ofTcp(List<Flow> event) {
    return -2.838354
        + 3.309023 * share(event, flow -> !flow.hasAck())
        - 0.157047 * share(event, flow -> flow.packets() < 3)
        - 0.002319 * sourcePorts(event)
        - 1.047414 * share(event, PublishedRules::hasPayload)
        + 3.163019 * different(event, Flow::target)
        - 3.260270 * share(event, PublishedRules::isBackscatter);
  }

  private static double ofUdp(List<Flow> event) {
    Map<IpAddress, Set<Long>> low = new HashMap<>();
    Map<Long, Set<Long>> networks = new TreeMap<>();
    for (Flow flow : event) {
      if (flow.port() >= 0 && flow.port() < 1024) {
        low.computeIfAbsent(flow.target(), target -> new TreeSet<>()).add(flow.port());
      }
      networks
          .computeIfAbsent(flow.target().lo() >> 8, n -> new TreeSet<>())
          .add(flow.target().lo());
    }
    int lowPorts = low.values().stream().mapToInt(Set::size).max().orElse(0);
    int lowRun = low.values().stream().mapToInt(PublishedRules::run).max().orElse(0);
    int run24 = networks.values().stream().mapToInt(PublishedRules::run).max().orElse(0);
    return -1.887908
        + 0.543684 * share(event, flow -> flow.packets() < 3)
        + 0.025151 * run24
        + 0.529095 * lowPorts
        - 1.244182 * lowRun
        - 0.001842 * sourcePorts(event)
        - 0.224549 * share(event, PublishedRules::hasPayload)
        - 0.697943 * different(event, Flow::sourcePort);
  }

  /** The longest run of successive numbers. */
  private static int run(Set<Long> numbers) {
    int longest = 0;
    int run = 0;
    long before = Long.MIN_VALUE;
    for (long number : numbers) {
      run = number == before + 1 ? run + 1 : 1;
      longest = Math.max(longest, run);
      before = number;
    }
    return longest;
  }

  /** Four more hosts in vain than with success in a day: one host is one observation. */
  private static Set<String> randomWalk(List<Flow> flows) {
    Map<List<Object>, Set<IpAddress>> hits = new HashMap<>();
    Map<List<Object>, Set<IpAddress>> all = new HashMap<>();
    for (Flow flow : flows) {
      boolean isFailed = flow.isNotEstablished();
      boolean isAnswered = !isFailed && (flow.state() >= 0 || flow.reversePackets() > 0);
      boolean isOneWay = flow.state() < 0 && flow.reversePackets() < 0;
      boolean isClient = isOneWay && flow.isTcp() && flow.sourcePort() > flow.port();
      List<Object> key = List.of(flow.source(), flow.start() / (24 * 60 * MINUTE));
      if (isFailed || isAnswered || isClient) {
        all.computeIfAbsent(key, k -> new HashSet<>()).add(flow.target());
      }
      if (isAnswered || (isClient && flow.hasAck())) {
        hits.computeIfAbsent(key, k -> new HashSet<>()).add(flow.target());
      }
    }
    Set<String> named = new TreeSet<>();
    all.forEach(
        (key, targets) -> {
          if (targets.size() - 2 * hits.getOrDefault(key, Set.of()).size() >= 4) {
            named.add(key.get(0).toString());
          }
        });
    return named;
  }
}
