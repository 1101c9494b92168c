package org.flowmon.deploy.kafka;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.flowmon.ingest.publish.PublisherStats;

/**
 * A running collector as {@link CollectorHttp} shows it. Its decoders are asked at most once a
 * second, whoever asks.
 */
final class CollectorView implements CollectorHttp.Source {
  private static final long KEPT_NANOS = 1_000_000_000;

  /** Beside all known exporters. */
  private static final int MAX_STRANGERS = 1000;

  /** Counters of interfaces that have not come for so long are not shown. */
  private static final long INTERFACE_MICROS = 600_000_000;

  private final RunningCollector collector;
  private final ReloadedFiles files;
  private Answer kept = new Answer(new ExportDecoder.Exporters(List.of(), 0), List.of());
  private long keptAt = System.nanoTime() - KEPT_NANOS;

  CollectorView(RunningCollector collector, ReloadedFiles files) {
    this.collector = collector;
    this.files = files;
  }

  @Override
  public Optional<String> trouble() {
    Optional<Throwable> failure = collector.failure();
    if (failure.isPresent()) {
      return Optional.of("the collector has ended: " + failure.get());
    }
    PublisherStats stats = collector.stats();
    if (!stats.disk().trouble().isEmpty()) {
      return Optional.of(stats.disk().trouble() + "; its flows wait there");
    }
    return stats.queue().isKafkaAway()
        ? Optional.of("Kafka takes no flows; they wait for it")
        : Optional.empty();
  }

  @Override
  public String metrics() throws IOException {
    Answer now = answer();
    return CollectorMetrics.text(collector, now.exporters, files.counts())
        + InterfaceMetrics.text(now.interfaces);
  }

  /** By exporter the fields of {@link ExporterStatus}, times in ISO 8601. */
  @Override
  public Object exporters() throws IOException {
    List<Map<String, Object>> all = new ArrayList<>();
    for (ExporterStatus one : answer().exporters.exporters()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("exporter", one.address().toString());
      fields.put("known", one.known());
      fields.put("versions", one.versions());
      fields.put("first_heard", FlowTime.text(one.firstHeard()));
      fields.put("last_heard", FlowTime.text(one.lastHeard()));
      fields.put("datagrams", one.datagrams());
      fields.put("bad_datagrams", one.badDatagrams());
      fields.put("flows", one.flows());
      fields.put("flows_per_second", rate(one));
      fields.put("lost_flows", one.lostFlows());
      fields.put("lost_datagrams", one.lostDatagrams());
      fields.put("waiting_bytes", one.waitingBytes());
      fields.put("domains", one.domains());
      fields.put("templates", one.templates());
      fields.put("sampling_rates", one.samplingRates());
      fields.put("interfaces", one.interfaces());
      fields.put("clock_skew_seconds", one.clockSkew() / 1e6);
      all.add(fields);
    }
    return all;
  }

  /** Since it was heard first. */
  private static double rate(ExporterStatus one) {
    long micros = Math.max(1_000_000, one.lastHeard() - one.firstHeard());
    return Math.round(one.flows() * 1e7 / micros) / 10.0;
  }

  private record Answer(ExportDecoder.Exporters exporters, List<InterfaceCounters> interfaces) {}

  private synchronized Answer answer() throws IOException {
    if (System.nanoTime() - keptAt < KEPT_NANOS) {
      return kept;
    }
    kept =
        new Answer(
            collector.exporters(MAX_STRANGERS),
            collector.interfaceCounters(FlowTime.now() - INTERFACE_MICROS));
    keptAt = System.nanoTime();
    return kept;
  }
}
