package org.flowmon.deploy.kafka;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.flowmon.deploy.command.ColumnsOption;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.HostAndPort;
import org.flowmon.deploy.command.StopNotice;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.input.BiflowOption;
import org.flowmon.deploy.input.ProtectedOption;
import org.flowmon.deploy.input.ReadAccount;
import org.flowmon.deploy.input.TemplatesByOption;
import org.flowmon.deploy.input.TunnelsOption;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.collect.ServerTls;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.ingest.publish.PublisherStats;
import org.flowmon.ingest.spool.Spool;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon collect}: receives exports and publishes them to Kafka. */
@Command(
    name = "collect",
    mixinStandardHelpOptions = true,
    description = {
      "Takes NetFlow v5, v9, IPFIX and sFlow v5 over UDP, and IPFIX over TCP and TLS, and writes"
          + " flow batches to Kafka.",
      "Runs until it is stopped (SIGTERM, Ctrl-C): then it empties its sockets, sends what it holds"
          + " and prints its counts."
    })
public final class CollectCommand implements Callable<Integer> {
  @Mixin private ListenOption listen;

  @Mixin private KafkaOptions kafka;

  @Mixin private TopicOptions topic;

  @Mixin private RulesOption rulesOption;

  @Mixin private ProtectedOption networks;

  @Mixin private TemplatesByOption templates;

  @Mixin private TunnelsOption tunnels;

  @Mixin private BiflowOption biflows;

  @Mixin private ColumnsOption columns;

  @Option(
      names = "--samples",
      paramLabel = "DIR",
      description =
          "The folder for samples of datagrams that could not be decoded, written at the end.")
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
          "Bytes of flows that may wait in memory while Kafka is away, some 143 a flow; beyond it"
              + " the newest flows are dropped and counted. Default 469762048 (a minute of 50,000"
              + " flows/s), at most 45%% of the heap.")
  private Optional<Long> queueBytes = Optional.empty();

  @Mixin private SpoolOption spool;

  @Option(
      names = "--stop-wait",
      paramLabel = "DURATION",
      defaultValue = "60s",
      converter = DurationConverter.class,
      description =
          "How long a stop waits for Kafka to take all flows; those it has not taken by then are"
              + " counted as lost, or wait in --spool. Default ${DEFAULT-VALUE}.")
  private Duration stopWait;

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

  /** How soon it ends if a part of it has failed. */
  private static final long LOOK_MILLIS = 500;

  /** The least of a Kafka client's buffer: room for the largest message. */
  private static final long LEAST_BUFFER = 8L << 20;

  private final BadDatagramSamples bad = new BadDatagramSamples(10);
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);

  @Override
  public Integer call() throws IOException, InterruptedException {
    columns.define();
    listen.check();
    checkState();
    Before before =
        new Before(contents(rulesOption.file().stream().toList()), contents(listen.tlsFiles()));
    RulesOption.Rules rules = rulesOption.read();
    Optional<InetSocketAddress> page = page();
    Optional<String> token = httpTokenFile.map(TokenFile::read);
    PublisherOptions options = options();
    Optional<ServerTls> tls = listen.tls();
    RunningCollector collector =
        new RunningCollector(listen, (own, limits) -> decoder(own, limits, rules.rules()));
    state.ifPresent(file -> System.err.println(collector.keepTemplates(file)));
    List<FlowPublisher> publishers = openPublishers(options);
    try {
      collector.start(publishers, tls, rules.rules());
    } catch (IOException | RuntimeException e) {
      collector.close();
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndWait, "collect-stop"));
    try (ReloadedFiles files = files(collector, rules, before);
        Closeable shown = show(page, token, new CollectorView(collector, files))) {
      run(collector);
    } finally {
      try {
        finish(collector);
      } finally {
        stopped.countDown();
      }
    }
    return 0;
  }

  private static Closeable show(
      Optional<InetSocketAddress> page, Optional<String> token, CollectorView view)
      throws IOException {
    if (page.isEmpty()) {
      return () -> {};
    }
    CollectorHttp shown = CollectorHttp.start(page.get(), token, view);
    System.err.println(
        "health, metrics and exporters at http:/"
            + shown.address().toString().replaceFirst("^[^/]*", ""));
    return shown;
  }

  private void checkState() {
    if (state.isPresent() && listen.lanes() == 0) {
      throw new UsageException(
          "--state keeps templates of exports by UDP, and --listen has no such address: leave it"
              + " out; over TCP and TLS templates end with their connection");
    }
  }

  /** What files had before they were read. */
  private record Before(ReloadedFiles.Contents rules, ReloadedFiles.Contents tls) {}

  private static ReloadedFiles.Contents contents(List<Path> files) {
    return ReloadedFiles.Contents.of(files);
  }

  /** Looks at the files that may change, from now on. */
  private ReloadedFiles files(RunningCollector collector, RulesOption.Rules rules, Before before) {
    ReloadedFiles files = new ReloadedFiles(System.err::println);
    AtomicReference<RulesOption.Rules> last = new AtomicReference<>(rules);
    if (rulesOption.file().isPresent()) {
      files.add(
          "rules",
          before.rules,
          () -> {
            RulesOption.Rules now = rulesOption.read();
            collector.useRules(now.rules());
            return now.changesSince(last.getAndSet(now));
          });
    }
    if (!listen.tlsFiles().isEmpty()) {
      files.add(
          "tls",
          before.tls,
          () -> {
            ServerTls now = listen.readTls();
            collector.useTls(now);
            return "new connections get the certificate of " + now.certificate();
          });
    }
    files.start(ReloadedFiles.INTERVAL);
    return files;
  }

  /** Where to listen for HTTP, if anywhere. */
  private Optional<InetSocketAddress> page() {
    Optional<InetSocketAddress> place =
        http.map(text -> HostAndPort.parse("--http", text, ListenOption.EXAMPLE));
    if (place.isPresent()
        && httpTokenFile.isEmpty()
        && !place.get().getAddress().isLoopbackAddress()) {
      throw new UsageException(
          "--http " + http.orElse("") + ": anyone could read it; add --http-token-file FILE");
    }
    return place;
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

  /**
   * Each gets an even share of the memory, and a spool if there is to be one. If all spools know
   * the topic from an earlier run, Kafka may be away. Further publishers send what a run with more
   * of them left.
   */
  private List<FlowPublisher> openPublishers(PublisherOptions options) throws IOException {
    int number = listen.publishers();
    PublisherOptions share =
        options
            .withQueue(Math.max(1, options.queueBytes() / number), options.whenFull())
            .withBufferBytes(Math.max(LEAST_BUFFER, options.bufferBytes() / number));
    List<Spool> spools = spool.open(options.topic(), number);
    List<FlowPublisher> all = new ArrayList<>();
    try {
      if (spools.isEmpty() || spools.stream().anyMatch(one -> one.partitions().isEmpty())) {
        makeTopic(options);
      }
      for (int i = 0; i < Math.max(number, spools.size()); i++) {
        all.add(
            FlowPublisher.open(
                share, i < spools.size() ? Optional.of(spools.get(i)) : Optional.empty()));
      }
      return all;
    } catch (IOException | RuntimeException e) {
      all.forEach(FlowPublisher::close);
      SpoolOption.close(spools);
      throw e;
    }
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

  private void run(RunningCollector collector) throws IOException, InterruptedException {
    System.err.println(
        "listening on "
            + collector.places()
            + ", writing topic "
            + topic.name(kafka)
            + " at "
            + kafka.bootstrap()
            + "; "
            + (collector.stats().queue().capacityBytes() >> 20)
            + " MiB of flows wait in memory while Kafka is away");
    OptionalLong buffer = collector.receiveBufferBytes();
    if (buffer.isPresent() && buffer.getAsLong() < listen.receiveBuffer()) {
      System.err.println(
          "note: the kernel gave a receive buffer of "
              + buffer.getAsLong()
              + " bytes; for bursts raise net.core.rmem_max");
    }
    long reported = System.nanoTime();
    while (!stop.await(LOOK_MILLIS, TimeUnit.MILLISECONDS) && collector.failure().isEmpty()) {
      if (System.nanoTime() - reported >= TimeUnit.SECONDS.toNanos(reportSeconds)) {
        reported = System.nanoTime();
        System.err.println(counts(collector));
      }
    }
  }

  /** If anything fails, the counts are printed all the same. */
  private void finish(RunningCollector collector) throws IOException {
    try {
      collector.close();
    } finally {
      PublisherStats stats = collector.stats();
      long lost = stats.failedByReason().getOrDefault(PublisherStats.NOT_DELIVERED_AT_STOP, 0L);
      if (lost > 0) {
        System.err.println(
            lost
                + " flows are lost: Kafka had not taken them "
                + stopWait.toSeconds()
                + " s after the stop began (--stop-wait)");
      }
      // The counts go to standard output: they are the result of the run.
      System.out.println(counts(collector));
      IngestCounters counters = collector.counters();
      System.err.printf(
          "%d flows decoded%s, %d in topic %s; lost: %s%n",
          counters.get(IngestCounter.FLOWS_DECODED),
          biflows.areSplit()
              ? " and " + counters.get(IngestCounter.BIFLOWS_SPLIT) + " split off biflows"
              : "",
          stats.flowsProduced(),
          topic.name(kafka),
          ReadAccount.shown(counters.lost()));
      System.out.flush();
      if (samples != null) {
        bad.writeTo(samples);
      }
    }
  }

  private ExportDecoder decoder(IngestCounters own, DecoderLimits limits, ExporterRules rules) {
    return new ExportDecoder(
        own,
        bad,
        networks.networks(),
        limits,
        tunnels.headers(),
        templates.scope(),
        rules.withSplitBiflows(biflows.areSplit()));
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

  private String counts(RunningCollector collector) {
    Map<String, Long> counts = new TreeMap<>(collector.counters().snapshot());
    OptionalLong kernel = collector.kernelDrops();
    PublisherStats stats = collector.stats();
    return counts
        + " kernel_drops="
        + (kernel.isPresent() ? kernel.getAsLong() : "unknown")
        + dropsBySocket(collector.sockets())
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
        + kafkaState(stats)
        + SpoolOption.counts(stats);
  }

  /** By socket, if there are several. */
  private static String dropsBySocket(List<UdpCollector.SocketDrops> sockets) {
    return sockets.size() < 2
        ? ""
        : sockets.stream()
            .map(one -> one.drops().isPresent() ? "" + one.drops().getAsLong() : "unknown")
            .collect(Collectors.joining(", ", " drops_by_socket=[", "]"));
  }

  private static String kafkaState(PublisherStats stats) {
    if (!stats.queue().isKafkaAway()) {
      return "there";
    }
    Instant since = Instant.now().minus(stats.queue().waitedMicros(), ChronoUnit.MICROS);
    return "away_since_" + since.truncatedTo(ChronoUnit.SECONDS);
  }
}
