package org.flowmon.deploy.kafka;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.flowmon.ingest.decode.exporter.InterfaceCounters.Counts;
import org.flowmon.ingest.text.ShownText;

/**
 * What exporters count at their interfaces, in Prometheus' text format; {@code docs/routers.md}
 * lists it. Exporters choose indexes and names: so series are bounded, and of an interface that
 * came twice the newest counters are shown.
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

  private final StringBuilder out = new StringBuilder();
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
                    "exporter=\"%s\",interface=\"%d\",name=\"%s\""
                        .formatted(key.exporter, key.index, escaped(one.name()))));
          }
        });
  }

  private static String escaped(String name) {
    return ShownText.of(name).replace("\\", "\\\\").replace("\"", "\\\"");
  }

  private void directions() {
    direction("receive", "received", InterfaceCounters::in);
    type("receive_unknown_protocols_total", "counter", "Packets received of unknown protocols.");
    packets("receive_unknown_protocols_total", "", one -> one.in().unknownProtocols());
    direction("transmit", "sent", InterfaceCounters::out);
  }

  private void direction(String begin, String done, Function<InterfaceCounters, Counts> of) {
    type(begin + "_bytes_total", "counter", "Bytes " + done + ".");
    for (Shown one : interfaces) {
      long octets = of.apply(one.counters).octets();
      if (octets != InterfaceCounters.OCTETS_NOT_KEPT) {
        line(begin + "_bytes_total", one.labels, Long.toUnsignedString(octets));
      }
    }
    String packets = begin + "_packets_total";
    type(packets, "counter", "Packets " + done + ".");
    packets(packets, ",cast=\"unicast\"", one -> of.apply(one).unicast());
    packets(packets, ",cast=\"multicast\"", one -> of.apply(one).multicast());
    packets(packets, ",cast=\"broadcast\"", one -> of.apply(one).broadcast());
    type(begin + "_discards_total", "counter", "Packets discarded instead of " + done + ".");
    packets(begin + "_discards_total", "", one -> of.apply(one).discards());
    type(begin + "_errors_total", "counter", "Packets with errors instead of " + done + ".");
    packets(begin + "_errors_total", "", one -> of.apply(one).errors());
  }

  private void states() {
    type("speed_bytes", "gauge", "Bytes a second that it can carry.");
    each("speed_bytes", one -> Long.toString(one.speed() >>> 3));
    type("enabled", "gauge", "1 if it is enabled (ifAdminStatus).");
    each("enabled", one -> (one.status() & ENABLED) != 0 ? "1" : "0");
    type("up", "gauge", "1 if it is up (ifOperStatus).");
    each("up", one -> (one.status() & UP) != 0 ? "1" : "0");
    type("last_seen_timestamp_seconds", "gauge", "When these counters came.");
    each("last_seen_timestamp_seconds", one -> Double.toString(one.arrival() / 1e6));
  }

  private void leftOut(int number) {
    String name = "flowmon_exporter_interfaces_left_out";
    out.append("# HELP ").append(name).append(" Interfaces beyond the bounds, not shown.\n");
    out.append("# TYPE ").append(name).append(" gauge\n");
    out.append(name).append(' ').append(number).append('\n');
  }

  private void type(String name, String type, String help) {
    out.append("# HELP ").append(PREFIX).append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(PREFIX).append(name).append(' ').append(type).append('\n');
  }

  /** Without counts that the agent does not keep. */
  private void packets(String name, String label, ToLongFunction<InterfaceCounters> count) {
    for (Shown one : interfaces) {
      long packets = count.applyAsLong(one.counters);
      if (packets != InterfaceCounters.NOT_KEPT) {
        line(name, one.labels + label, Long.toString(packets));
      }
    }
  }

  private void each(String name, Function<InterfaceCounters, String> value) {
    interfaces.forEach(one -> line(name, one.labels, value.apply(one.counters)));
  }

  private void line(String name, String labels, String value) {
    out.append(PREFIX).append(name).append('{').append(labels).append("} ");
    out.append(value).append('\n');
  }
}
