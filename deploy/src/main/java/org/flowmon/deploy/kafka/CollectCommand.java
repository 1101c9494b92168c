package org.flowmon.deploy.kafka;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.flowmon.deploy.command.ColumnsOption;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ProtectedOption;
import org.flowmon.deploy.command.StopNotice;
import org.flowmon.deploy.command.TemplatesByOption;
import org.flowmon.deploy.command.TunnelsOption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.input.ReadAccount;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.collect.TemplateKeeper;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.ingest.publish.PublisherStats;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon collect}: receives exports over UDP and publishes them to Kafka. */
@Command(
    name = "collect",
    mixinStandardHelpOptions = true,
    description = {
      "Takes NetFlow v5, v9, IPFIX and sFlow v5 over UDP and writes flow batches to Kafka.",
      "Runs until it is stopped (SIGTERM, Ctrl-C): then it empties its sockets, sends what it holds"
          + " and prints its counts."
    })
public final class CollectCommand implements Callable<Integer> {
  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:2055",
      split = ",",
      description =
          "Address to listen on; may be repeated. Default ${DEFAULT-VALUE}: this machine only.")
  private List<String> listen;

  @Mixin private KafkaOptions kafka;

  @Mixin private TopicOptions topic;

  @Mixin private ProtectedOption networks;

  @Mixin private TemplatesByOption templates;

  @Mixin private TunnelsOption tunnels;

  @Mixin private ColumnsOption columns;

  @Option(
      names = "--receive-buffer",
      paramLabel = "BYTES",
      defaultValue = "16777216",
      description = "What to ask of the kernel for each socket; default ${DEFAULT-VALUE}.")
  private int receiveBuffer;

  @Option(
      names = "--samples",
      paramLabel = "DIR",
      description =
          "The file for samples of datagrams that could not be decoded, written at the end.")
  private @Nullable Path samples;

  @Option(
      names = "--report-seconds",
      defaultValue = "10",
      description = "Seconds between lines of counts on standard error; default ${DEFAULT-VALUE}.")
  private int reportSeconds;

  @Option(
      names = "--queue-bytes",
      paramLabel = "BYTES",
      description =
          "What waits in memory while Kafka is away, 143 bytes a flow or so; beyond it the newest"
              + " flows are dropped and counted. Default 469762048 (a minute of 50,000 flows/s), at"
              + " most 45%% of the heap.")
  private Optional<Long> queueBytes = Optional.empty();

  @Option(
      names = "--stop-wait",
      paramLabel = "DURATION",
      defaultValue = "60s",
      converter = DurationConverter.class,
      description =
          "How long a stop waits for Kafka to take all flows; those it has not taken by then are"
              + " counted as lost. Default ${DEFAULT-VALUE}.")
  private Duration stopWait;

  @Option(
      names = "--exporters",
      paramLabel = "NETWORK",
      split = ",",
      description =
          "An address or network whose exports are taken; others are counted and dropped. May be"
              + " repeated; without it all are taken.")
  private List<String> exporters = List.of();

  @Option(
      names = "--sampling",
      paramLabel = "EXPORTER[@INTERFACE]=RATE",
      split = ",",
      description =
          "One packet of RATE is sampled by the exporter, or on the interface (its index) through"
              + " which flows came in, whatever the exports say. May be repeated.")
  private List<String> sampling = List.of();

  @Option(
      names = "--state",
      paramLabel = "FILE",
      description =
          "Keeps the templates of known exporters in FILE, so that after a restart their data is"
              + " decoded at once. The file is replaced every 30 s and at the end.")
  private Optional<Path> state = Optional.empty();

  @Option(
      names = "--http",
      paramLabel = "HOST:PORT",
      description =
          "Listens on this address for /health, /metrics (Prometheus) and /exporters (flowmon"
              + " exporters); port 2080 is what flowmon exporters asks. Beyond this machine it"
              + " needs --http-token-file.")
  private Optional<String> http = Optional.empty();

  @Option(
      names = "--http-token-file",
      paramLabel = "FILE",
      description =
          "A file whose first line is the token that HTTP requests show (Authorization: Bearer).")
  private Optional<Path> httpTokenFile = Optional.empty();

  /** The longest time of a stop beyond that for Kafka: sockets are emptied for 6 s. */
  private static final Duration STOP_BEYOND = Duration.ofSeconds(20);

  private final IngestCounters counters = new IngestCounters();
  private final BadDatagramSamples bad = new BadDatagramSamples(10);
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);

  @Override
  public Integer call() throws IOException, InterruptedException {
    columns.define();
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (String place : listen) {
      addresses.add(address("--listen", place));
    }
    ExportDecoder decoder = decoder();
    Optional<InetSocketAddress> page = page();
    Optional<String> token =
        httpTokenFile.isPresent()
            ? Optional.of(TokenFile.read(httpTokenFile.get()))
            : Optional.empty();
    PublisherOptions options = options();
    makeTopic(options);
    FlowPublisher publisher = FlowPublisher.open(options);
    UdpCollector collector;
    Optional<TemplateKeeper> keeper = state.map(file -> new TemplateKeeper(decoder, file));
    try {
      keeper.ifPresent(this::restore);
      collector =
          keeper.isPresent()
              ? UdpCollector.start(addresses, receiveBuffer, keeper.get(), publisher, counters)
              : UdpCollector.start(addresses, receiveBuffer, decoder, publisher, counters);
    } catch (IOException | RuntimeException e) {
      publisher.close();
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndWait, "collect-stop"));
    CollectorView view = new CollectorView(collector, decoder, publisher, counters);
    try (Closeable shown =
        page.isPresent() ? CollectorHttp.start(page.get(), token, view) : () -> {}) {
      run(collector, publisher);
    } finally {
      try {
        finish(collector, publisher);
      } finally {
        keeper.ifPresent(TemplateKeeper::close);
        stopped.countDown();
      }
    }
    return 0;
  }

  /** Where to listen for HTTP, if anywhere. */
  private Optional<InetSocketAddress> page() {
    Optional<InetSocketAddress> place = http.map(text -> address("--http", text));
    if (place.isPresent()
        && httpTokenFile.isEmpty()
        && !place.get().getAddress().isLoopbackAddress()) {
      throw new UsageException(
          "--http " + http.orElse("") + ": anyone could read it; add --http-token-file FILE");
    }
    return place;
  }

  /** What is damaged or of another kind is no reason to take no flows. */
  private void restore(TemplateKeeper keeper) {
    try {
      int templates = keeper.restore(FlowTime.now());
      System.err.println(templates + " templates restored from " + state.orElseThrow());
    } catch (IOException e) {
      System.err.println(
          "no templates restored from "
              + state.orElseThrow()
              + ": "
              + e.getMessage()
              + "; data waits for the exporters' next ones");
    }
  }

  private PublisherOptions options() {
    PublisherOptions options =
        PublisherOptions.ofCollector(kafka.bootstrap())
            .withTopic(topic.name(kafka))
            .withStopTimeout(stopWait)
            .withProperties(kafka.properties());
    if (queueBytes.orElse(1L) < 1) {
      throw new UsageException("--queue-bytes is " + queueBytes.get() + ": expected 1 or more");
    }
    return queueBytes
        .map(bytes -> options.withQueue(bytes, PublisherOptions.WhenFull.DROP))
        .orElse(options);
  }

  /** After a second, reports that the broker does not answer yet. */
  private void makeTopic(PublisherOptions options) throws IOException {
    ScheduledExecutorService waiting = Executors.newSingleThreadScheduledExecutor();
    try {
      var unused =
          waiting.schedule(
              () ->
                  System.err.println(
                      "no Kafka broker has answered at "
                          + options.bootstrap()
                          + " yet; trying for "
                          + FlowTopics.TIMEOUT_SECONDS
                          + " s"),
              1,
              TimeUnit.SECONDS);
      KafkaBroker.mustAnswer(kafka.client(), Duration.ofSeconds(FlowTopics.TIMEOUT_SECONDS));
    } finally {
      waiting.shutdownNow();
    }
    topic.ensure(options);
  }

  private void run(UdpCollector collector, FlowPublisher publisher)
      throws IOException, InterruptedException {
    System.err.println(
        "listening on "
            + collector.addresses().stream()
                .map(place -> place.toString().replaceFirst("^[^/]*/", ""))
                .collect(Collectors.joining(", "))
            + ", writing topic "
            + topic.name(kafka)
            + " at "
            + kafka.bootstrap()
            + "; "
            + (publisher.stats().queue().capacityBytes() >> 20)
            + " MiB of flows wait in memory while Kafka is away");
    if (collector.receiveBufferBytes() < receiveBuffer) {
      System.err.println(
          "note: the kernel gave a receive buffer of "
              + collector.receiveBufferBytes()
              + " bytes; for bursts raise net.core.rmem_max");
    }
    while (!stop.await(reportSeconds, TimeUnit.SECONDS) && collector.failure() == null) {
      System.err.println(counts(collector, publisher));
    }
  }

  /** If anything fails, flows are still sent or counted as lost, and the counts are printed. */
  private void finish(UdpCollector collector, FlowPublisher publisher) throws IOException {
    try {
      collector.close();
    } finally {
      publisher.close();
      long lost =
          publisher.stats().failedByReason().getOrDefault(PublisherStats.NOT_DELIVERED_AT_STOP, 0L);
      if (lost > 0) {
        System.err.println(
            lost
                + " flows are lost: Kafka had not taken them "
                + stopWait.toSeconds()
                + " s after the stop began (--stop-wait)");
      }
      // The counts go to standard output: they are the result of the run.
      System.out.println(counts(collector, publisher));
      System.err.printf(
          "%d flows decoded, %d in topic %s; lost: %s%n",
          counters.get(IngestCounter.FLOWS_DECODED),
          publisher.stats().flowsProduced(),
          topic.name(kafka),
          ReadAccount.shown(counters.lost()));
      System.out.flush();
      if (samples != null) {
        bad.writeTo(samples);
      }
    }
  }

  private ExportDecoder decoder() {
    return new ExportDecoder(
        counters,
        bad,
        networks.networks(),
        DecoderLimits.defaults(),
        tunnels.headers(),
        templates.scope(),
        rules());
  }

  private ExporterRules rules() {
    try {
      return ExporterRules.parse(exporters, sampling);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--exporters, --sampling: " + e.getMessage());
    }
  }

  private void stopAndWait() {
    StopNotice.await();
    stop.countDown();
    try {
      stopped.await(stopWait.plus(STOP_BEYOND).toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String counts(UdpCollector collector, FlowPublisher publisher) {
    Map<String, Long> counts = new TreeMap<>(counters.snapshot());
    OptionalLong kernel = collector.kernelDrops();
    PublisherStats stats = publisher.stats();
    return counts
        + " kernel_drops="
        + (kernel.isPresent() ? kernel.getAsLong() : "unknown")
        + " flows_published="
        + stats.flowsProduced()
        + " flows_failed="
        + stats.flowsFailed()
        + (stats.flowsFailed() == 0 ? "" : " " + stats.failedByReason())
        + " flows_under_way="
        + stats.flowsUnderWay()
        + " queue_used="
        + 100 * stats.queue().bytes() / stats.queue().capacityBytes()
        + "% kafka="
        + kafkaState(stats);
  }

  private static String kafkaState(PublisherStats stats) {
    if (!stats.queue().isKafkaAway()) {
      return "there";
    }
    Instant since = Instant.now().minus(stats.queue().waitedMicros(), ChronoUnit.MICROS);
    return "away_since_" + since.truncatedTo(ChronoUnit.SECONDS);
  }

  private static InetSocketAddress address(String option, String place) {
    int colon = place.lastIndexOf(':');
    try {
      int port = Integer.parseInt(place.substring(colon + 1));
      String host = colon < 0 ? "127.0.0.1" : place.substring(0, colon).replaceAll("[\\[\\]]", "");
      return new InetSocketAddress(InetAddress.getByName(host), port);
    } catch (IllegalArgumentException | UnknownHostException e) { // including a port beyond 65535
      throw new UsageException(
          option + " " + place + ": expected HOST:PORT, for example 0.0.0.0:2055");
    }
  }
}
