package org.flowmon.deploy.kafka;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.flowmon.ingest.publish.PublisherStats;
import org.flowmon.ingest.spool.Spool;

/** A collector's counts in Prometheus' text format 0.0.4; {@code docs/routers.md} lists them. */
final class CollectorMetrics {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** Exporters of their own; a label for each of thousands would burden who reads them. */
  static final int MAX_EXPORTERS = 1000;

  private static final String PREFIX = "flowmon_collector_";

  private final StringBuilder out = new StringBuilder();

  private CollectorMetrics() {}

  static String text(
      RunningCollector collector,
      ExportDecoder.Exporters exporters,
      Map<String, ReloadedFiles.Count> files) {
    CollectorMetrics all = new CollectorMetrics();
    all.counts(collector.counters());
    all.sockets(collector.sockets());
    collector.connections().ifPresent(open -> all.gauge("connections", open));
    collector.handshakes().ifPresent(open -> all.gauge("handshakes", open));
    all.published(collector.stats());
    all.type("reloads_total", "counter");
    files.forEach((name, count) -> all.line("reloads_total", "file", name, (double) count.done()));
    all.type("reload_failures_total", "counter");
    files.forEach(
        (name, count) -> all.line("reload_failures_total", "file", name, (double) count.refused()));
    List<ExporterStatus> known =
        exporters.exporters().stream().filter(ExporterStatus::known).toList();
    all.gauge("exporters_known", known.size());
    all.gauge("exporters_strangers", exporters.strangers());
    all.exporters(
        known.stream()
            .sorted(Comparator.comparing(ExporterStatus::address)) // the same ones each time
            .limit(MAX_EXPORTERS)
            .toList());
    return all.out.toString();
  }

  private void counts(IngestCounters counters) {
    for (IngestCounter counter : IngestCounter.values()) {
      if (mayFall(counter)) {
        gauge(counter.label(), counters.get(counter));
      } else {
        total(counter.label(), counters.get(counter));
      }
    }
  }

  /** If the kernel tells; several sockets of an address differ by their numbers. */
  private void sockets(List<UdpCollector.SocketDrops> sockets) {
    type("socket_drops_total", "counter");
    for (UdpCollector.SocketDrops socket : sockets) {
      if (socket.drops().isPresent()) {
        String place = socket.address().toString().replaceFirst("^[^/]*/", "");
        line(
            "socket_drops_total",
            "socket",
            place + "#" + socket.number(),
            (double) socket.drops().getAsLong());
      }
    }
  }

  private void published(PublisherStats stats) {
    total("flows_published", stats.flowsProduced());
    total("batches_published", stats.batchesProduced());
    type("flows_failed_total", "counter");
    stats
        .failedByReason()
        .forEach((why, count) -> line("flows_failed_total", "reason", why, (double) count));
    gauge("flows_under_way", stats.flowsUnderWay());
    gauge("queue_bytes", stats.queue().bytes());
    gauge("queue_capacity_bytes", stats.queue().capacityBytes());
    gauge("kafka_away", stats.queue().isKafkaAway() ? 1 : 0);
    if (stats.disk().load().capacityBytes() > 0) {
      spool(stats);
    }
  }

  private void spool(PublisherStats stats) {
    Spool.Load load = stats.disk().load();
    gauge("spool_active", stats.disk().active() ? 1 : 0);
    gauge("spool_flows", load.flows());
    gauge("spool_batches", load.batches());
    gauge("spool_bytes", load.bytes());
    gauge("spool_capacity_bytes", load.capacityBytes());
    gauge("spool_oldest_seconds", load.oldestMicros() / 1_000_000);
    total("spool_damaged_bytes", load.damagedBytes());
    total("spool_read_errors", stats.disk().readErrors());
    total("flows_recovered", stats.flowsRecovered());
  }

  /** Losses by sequence numbers are taken back if what was missing comes late. */
  private static boolean mayFall(IngestCounter counter) {
    return counter.label().startsWith("sequence_");
  }

  private void exporters(List<ExporterStatus> known) {
    each(known, "exporter_datagrams_total", "counter", ExporterStatus::datagrams);
    each(known, "exporter_bad_datagrams_total", "counter", ExporterStatus::badDatagrams);
    each(known, "exporter_flows_total", "counter", ExporterStatus::flows);
    // Losses may be taken back: no counters.
    each(known, "exporter_lost_flows", "gauge", ExporterStatus::lostFlows);
    each(known, "exporter_lost_datagrams", "gauge", ExporterStatus::lostDatagrams);
    each(known, "exporter_waiting_bytes", "gauge", ExporterStatus::waitingBytes);
    each(known, "exporter_templates", "gauge", ExporterStatus::templates);
    each(known, "exporter_clock_skew_seconds", "gauge", one -> one.clockSkew() / 1e6);
    each(known, "exporter_last_seen_timestamp_seconds", "gauge", one -> one.lastHeard() / 1e6);
  }

  private interface Measure {
    double of(ExporterStatus exporter);
  }

  private void each(List<ExporterStatus> exporters, String name, String type, Measure measure) {
    type(name, type);
    for (ExporterStatus one : exporters) {
      line(name, "exporter", one.address().toString(), measure.of(one));
    }
  }

  private void total(String label, long count) {
    type(label + "_total", "counter");
    line(label + "_total", "", "", (double) count);
  }

  private void gauge(String name, long value) {
    type(name, "gauge");
    line(name, "", "", (double) value);
  }

  private void type(String name, String type) {
    out.append("# TYPE ").append(PREFIX).append(name).append(' ').append(type).append('\n');
  }

  private void line(String name, String label, String value, double number) {
    out.append(PREFIX).append(name);
    if (!label.isEmpty()) {
      out.append('{').append(label).append("=\"").append(value).append("\"}");
    }
    out.append(' ');
    if (number == Math.rint(number) && Math.abs(number) < 1L << 53) {
      out.append((long) number);
    } else {
      out.append(number);
    }
    out.append('\n');
  }
}
