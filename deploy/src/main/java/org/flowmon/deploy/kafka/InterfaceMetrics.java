package org.flowmon.deploy.kafka;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.flowmon.deploy.metrics.MetricsText;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.flowmon.ingest.decode.exporter.InterfaceCounters.Counts;
import org.flowmon.ingest.text.ShownText;

/**
 * What exporters count at their interfaces, for Prometheus; {@code docs/metrics.md} lists it.
 * Exporters choose indexes and names: so series are bounded, and of an interface that came twice
 * the newest counters are shown.
 */
final class InterfaceMetrics {
  /** Each has up to 17 series. */
  static final int MAX_INTERFACES = 5000;

  static final int MAX_OF_EXPORTER = 512;

  private static final String PREFIX = "flowmon_exporter_interface_";
  private static final long ENABLED = 1;
  private static final long UP = 2;

  private record Key(IpAddress exporter, long index) {}

  /** An interface and its labels, without braces. */
  private record Shown(InterfaceCounters counters, String labels) {}

  private final MetricsText out = new MetricsText();
  private final List<Shown> interfaces = new ArrayList<>();

  private InterfaceMetrics() {}

  static String text(List<InterfaceCounters> all) {
    Map<Key, InterfaceCounters> newest =
        new TreeMap<>(Comparator.comparing(Key::exporter).thenComparing(Key::index));
    for (InterfaceCounters one : all) {
      IpAddress exporter = one.exporter();
      if (exporter != null) {
        newest.merge(
            new Key(exporter, one.index()), one, (a, b) -> a.arrival() >= b.arrival() ? a : b);
      }
    }
    InterfaceMetrics metrics = new InterfaceMetrics();
    metrics.choose(newest);
    metrics.directions();
    metrics.states();
    metrics.leftOut(newest.size() - metrics.interfaces.size());
    return metrics.out.toString();
  }

  /** The same ones each time. */
  private void choose(Map<Key, InterfaceCounters> newest) {
    Map<IpAddress, Integer> ofExporter = new HashMap<>();
    newest.forEach(
        (key, one) -> {
          if (interfaces.size() < MAX_INTERFACES
              && ofExporter.merge(key.exporter, 1, Integer::sum) <= MAX_OF_EXPORTER) {
            interfaces.add(
                new Shown(
                    one,
                    String.join(
                        ",",
                        MetricsText.label("exporter", key.exporter.toString()),
                        MetricsText.label("interface", Long.toString(key.index)),
                        MetricsText.label("name", ShownText.of(one.name())))));
          }
        });
  }

  private void directions() {
    direction("receive", InterfaceCounters::in);
    metric("receive_unknown_protocols_total");
    packets("", one -> one.in().unknownProtocols());
    direction("transmit", InterfaceCounters::out);
  }

  private void direction(String begin, Function<InterfaceCounters, Counts> of) {
    metric(begin + "_bytes_total");
    for (Shown one : interfaces) {
      long octets = of.apply(one.counters).octets();
      if (octets != InterfaceCounters.OCTETS_NOT_KEPT) {
        out.value(one.labels, Long.toUnsignedString(octets));
      }
    }
    metric(begin + "_packets_total");
    packets(",cast=\"unicast\"", one -> of.apply(one).unicast());
    packets(",cast=\"multicast\"", one -> of.apply(one).multicast());
    packets(",cast=\"broadcast\"", one -> of.apply(one).broadcast());
    metric(begin + "_discards_total");
    packets("", one -> of.apply(one).discards());
    metric(begin + "_errors_total");
    packets("", one -> of.apply(one).errors());
  }

  private void states() {
    each("speed_bytes", one -> one.speed() >>> 3);
    each("enabled", one -> (one.status() & ENABLED) != 0 ? 1 : 0);
    each("up", one -> (one.status() & UP) != 0 ? 1 : 0);
    each("last_seen_timestamp_seconds", one -> one.arrival() / 1e6);
  }

  private void leftOut(int number) {
    out.metric("flowmon_exporter_interfaces_left_out").value(number);
  }

  private void metric(String name) {
    out.metric(PREFIX + name);
  }

  /** Without counts that the agent does not keep. */
  private void packets(String label, ToLongFunction<InterfaceCounters> count) {
    for (Shown one : interfaces) {
      long packets = count.applyAsLong(one.counters);
      if (packets != InterfaceCounters.NOT_KEPT) {
        out.value(one.labels + label, (double) packets);
      }
    }
  }

  private void each(String name, ToDoubleFunction<InterfaceCounters> value) {
    metric(name);
    interfaces.forEach(one -> out.value(one.labels, value.applyAsDouble(one.counters)));
  }
}
