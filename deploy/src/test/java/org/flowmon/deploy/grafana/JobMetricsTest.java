package org.flowmon.deploy.grafana;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.metrics.PrometheusServer;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.Role;
import org.flowmon.jobs.config.job.StartingOffsets;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job with Flink's reporter for Prometheus serves the metrics that the dashboard asks for. */
class JobMetricsTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir Path folder;

  private JobConfig config(EmbeddedKafka kafka, ReportsDatabase database) {
    return new JobConfig(
        new JobConfig.Kafka(
            kafka.bootstrapServers(), "flows", "g", StartingOffsets.EARLIEST, null, Map.of()),
        ArchiveLocation.of(folder.resolve("archive")),
        JobConfig.DEFAULT_COMPACT_ROWS,
        null,
        null,
        database.config(),
        null,
        List.of(),
        new JobConfig.Settings(
            Role.ALL,
            1,
            16,
            Duration.ofSeconds(1),
            folder.resolve("checkpoints").toUri().toString(),
            Duration.ofMillis(100),
            false));
  }

  private static String scrape(HttpClient client, int port) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  /** Metrics of the job in alert rules, but those of partitions: these come with a message. */
  private static Set<String> unknown(String served) throws IOException {
    String rules = Files.readString(PrometheusServer.FOLDER.resolve("flowmon-alerts.yml"));
    Set<String> unknown = new TreeSet<>();
    Matcher name = Pattern.compile("\\bflink_\\w+").matcher(rules);
    while (name.find()) {
      if (!served.contains("\n" + name.group() + "{") && !name.group().contains("_partition_")) {
        unknown.add(name.group());
      }
    }
    return unknown;
  }

  @Test
  void theMetricsOfTheDashboardOfHealthAreServed() throws Exception {
    int port = EmbeddedKafka.freePort();
    Configuration flink = new Configuration();
    flink.setString(
        "metrics.reporter.prom.factory.class",
        "org.apache.flink.metrics.prometheus.PrometheusReporterFactory");
    flink.setString("metrics.reporter.prom.port", String.valueOf(port));
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"));
        ReportsDatabase database = ReportsDatabase.start();
        MiniCluster cluster =
            new MiniCluster(
                new MiniClusterConfiguration.Builder()
                    .setConfiguration(flink)
                    .setCommonBindAddress("127.0.0.1")
                    .setNumTaskManagers(1)
                    .setNumSlotsPerTaskManager(2)
                    .withRandomPorts()
                    .build())) {
      FlowTopics.ensure(kafka.bootstrapServers(), "flows", 1);
      cluster.start();
      StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
      List<AnalysisConfig> analyses =
          Stream.concat(AnalysisConfig.bundled().stream(), Dashboards.analyses().stream()).toList();
      FlowmonJob.build(env, config(kafka, database), analyses);
      var unused = cluster.submitJob(env.getStreamGraph().getJobGraph()).get();
      HttpClient client = HttpClient.newHttpClient();
      Set<String> missing = new TreeSet<>(Dashboards.metrics("flink_"));
      assertTrue(missing.size() >= 20, missing.toString());
      long end = System.nanoTime() + LIMIT.toNanos();
      while (!missing.isEmpty() && System.nanoTime() < end) {
        Thread.sleep(500);
        String served = scrape(client, port);
        missing.removeIf(name -> served.contains("\n" + name + "{"));
      }
      assertEquals(Set.of(), missing, "metrics that no endpoint serves");
      assertTrue(
          scrape(client, port)
              .lines()
              .anyMatch(
                  line ->
                      line.contains("_analysis_late_flows{")
                          && line.contains("analysis=\"elephants\"")),
          "the label of an analysis");
      assertEquals(Set.of(), unknown(scrape(client, port)), "metrics that alert rules ask for");
      try (PrometheusServer prometheus =
          PrometheusServer.start(folder, Map.of("flowmon-job", "127.0.0.1:" + port))) {
        prometheus.await("up{job='flowmon-job'} == 1");
        prometheus.await("flink_jobmanager_job_numRestarts == 0");
        prometheus.await("flink_taskmanager_job_task_operator_flowmon_flows == 0");
      }
    }
  }
}
