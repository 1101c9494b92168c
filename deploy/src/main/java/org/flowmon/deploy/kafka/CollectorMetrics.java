package org.flowmon.deploy.kafka;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.flowmon.deploy.metrics.MetricsText;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.flowmon.ingest.publish.PublisherStats;
import org.flowmon.ingest.spool.Spool;

/** A collector's counts for Prometheus; {@code docs/metrics.md} lists them. */
final class CollectorMetrics {
  /** Exporters of their own; a label for each of thousands would burden who reads them. */
  static final int MAX_EXPORTERS = 1000;

  private static final String PREFIX = "flowmon_collector_";

  private final MetricsText out = new MetricsText();

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
    all.metric("reloads_total");
    files.forEach((name, count) -> all.out.value(file(name), (double) count.done()));
    all.metric("reload_failures_total");
    files.forEach((name, count) -> all.out.value(file(name), (double) count.refused()));
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

  private static String file(String name) {
    return MetricsText.label("file", name);
  }

  /** If the kernel tells; several sockets of an address differ by their numbers. */
  private void sockets(List<UdpCollector.SocketDrops> sockets) {
    metric("socket_drops_total");
    for (UdpCollector.SocketDrops socket : sockets) {
      if (socket.drops().isPresent()) {
        String place = socket.address().toString().replaceFirst("^[^/]*/", "");
        out.value(
            MetricsText.label("socket", place + "#" + socket.number()),
            (double) socket.drops().getAsLong());
      }
    }
  }

  private void published(PublisherStats stats) {
    total("flows_published", stats.flowsProduced());
    total("batches_published", stats.batchesProduced());
    metric("flows_failed_total");
    stats
        .failedByReason()
        .forEach((why, count) -> out.value(MetricsText.label("reason", why), count));
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
    each(known, "exporter_datagrams_total", ExporterStatus::datagrams);
    each(known, "exporter_bad_datagrams_total", ExporterStatus::badDatagrams);
    each(known, "exporter_flows_total", ExporterStatus::flows);
    each(known, "exporter_lost_flows", ExporterStatus::lostFlows);
    each(known, "exporter_lost_datagrams", ExporterStatus::lostDatagrams);
    each(known, "exporter_waiting_bytes", ExporterStatus::waitingBytes);
    each(known, "exporter_templates", ExporterStatus::templates);
    each(known, "exporter_clock_skew_seconds", one -> one.clockSkew() / 1e6);
    each(known, "exporter_last_seen_timestamp_seconds", one -> one.lastHeard() / 1e6);
  }

  private void each(
      List<ExporterStatus> exporters, String name, ToDoubleFunction<ExporterStatus> measure) {
    metric(name);
    for (ExporterStatus one : exporters) {
      out.value(
          MetricsText.label("exporter", one.address().toString()), measure.applyAsDouble(one));
    }
  }

  private void total(String label, long count) {
    gauge(label + "_total", count);
  }

  private void gauge(String name, long value) {
    metric(name);
    out.value((double) value);
  }

  private void metric(String name) {
    out.metric(PREFIX + name);
  }
}
