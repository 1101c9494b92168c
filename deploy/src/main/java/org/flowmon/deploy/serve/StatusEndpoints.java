package org.flowmon.deploy.serve;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.deploy.metrics.MetricsText;
import org.flowmon.deploy.serve.flows.CollectorClient;
import org.flowmon.deploy.serve.http.AnswerStream;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.job.ServedJob;
import org.flowmon.deploy.serve.lane.Lane;
import org.flowmon.deploy.serve.lane.Lanes;
import org.flowmon.deploy.serve.query.QueryEndpoint;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.jspecify.annotations.Nullable;

/** How the server is, and what it lets whom do. */
final class StatusEndpoints {
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;

  private final Server.Sources sources;
  private final ServedArchives archives;
  private final Lanes lanes;
  private final ServedJob job;
  private final boolean needsToken;
  private final Instant started = Instant.now();

  StatusEndpoints(
      Server.Sources sources,
      ServedArchives archives,
      Lanes lanes,
      ServedJob job,
      boolean needsToken) {
    this.sources = sources;
    this.archives = archives;
    this.lanes = lanes;
    this.job = job;
    this.needsToken = needsToken;
  }

  void health(Exchange exchange) throws IOException {
    exchange.fields().only();
    List<Map<String, @Nullable Object>> parts = new ArrayList<>();
    parts.add(archive());
    job.states().forEach((name, state) -> parts.add(part(name, state.status(), state.detail())));
    Optional<CollectorClient> collector = sources.collector();
    if (collector.isPresent()) {
      String trouble = collector.get().trouble().orElse(null);
      parts.add(part("collector", trouble == null ? "ok" : "failed", trouble));
    }
    if (!exchange.caller().isKnown()) {
      parts.forEach(part -> part.replace("detail", null)); // it names hosts and files
    }
    boolean isWell = parts.stream().noneMatch(part -> "failed".equals(part.get("status")));
    Map<String, Object> health = new LinkedHashMap<>();
    health.put("status", isWell ? "ok" : "degraded");
    health.put("version", sources.version());
    health.put("started", started.toString());
    health.put("parts", parts);
    exchange.json(isWell ? OK : UNAVAILABLE, health);
  }

  private Map<String, @Nullable Object> archive() {
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      return part("archive", "ok", null);
    } catch (IOException | RuntimeException e) {
      return part("archive", "failed", e.getMessage());
    }
  }

  private static Map<String, @Nullable Object> part(
      String part, String status, @Nullable String detail) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("part", part);
    all.put("status", status);
    all.put("detail", detail);
    return all;
  }

  void session(Exchange exchange) throws IOException {
    exchange.fields().only();
    Map<String, Object> session = new LinkedHashMap<>();
    session.put("role", exchange.caller().role().toString());
    session.put("needs_token", needsToken);
    session.put(
        "limits",
        Map.of(
            "rows",
            QueryEndpoint.JSON_ROWS,
            "seconds",
            sources.most().toSeconds(),
            "body_bytes",
            Exchange.MAX_BODY));
    session.put(
        "features",
        Map.of(
            "job", sources.job().isPresent(),
            "reports", sources.job().isPresent(),
            "collector", sources.collector().isPresent(),
            "views", sources.views().isPresent()));
    exchange.json(OK, session);
  }

  /** For Prometheus. */
  void metrics(Exchange exchange) throws IOException {
    MetricsText text = new MetricsText();
    each(text, "flowmon_serve_running_requests", lanes::running);
    each(text, "flowmon_serve_waiting_requests", lanes::waiting);
    each(text, "flowmon_serve_refused_requests_total", lanes::refused);
    text.metric("flowmon_serve_yielded_seconds_total").value(lanes.yieldedNanos() / 1e9);
    AnswerStream out = exchange.stream(MetricsText.CONTENT_TYPE);
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    out.end();
  }

  private static void each(MetricsText text, String name, ToDoubleFunction<Lane> value) {
    text.metric(name);
    for (Lane lane : Lane.values()) {
      text.value(MetricsText.label("lane", lane.toString()), value.applyAsDouble(lane));
    }
  }
}
