package org.flowmon.bench.hostile;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import org.flowmon.bench.collect.CollectorProcess;
import org.flowmon.bench.collect.TopicFlows;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.ingest.synthetic.exporter.ExporterSimulator;
import org.flowmon.ingest.synthetic.exporter.SentCounts;

/**
 * Four good exporters (NetFlow v5, v9, v9 with sampling, IPFIX) at an even rate beside strangers, a
 * collector as a separate process, and the exporters' flows in Kafka. One collector takes the good
 * traffic alone and then both.
 */
final class CollectorCase implements HostileCase {
  private static final IpAddress GOOD = IpAddress.parse("127.0.0.1");
  private static final Duration SETTLED = Duration.ofMinutes(1);

  /** The possible outcomes of a datagram; {@code docs/format/exports.md} defines each. */
  private static final List<String> DATAGRAMS =
      List.of(
          "datagrams_decoded",
          "datagrams_damaged",
          "datagrams_dropped_unknown_version",
          "datagrams_dropped_truncated",
          "datagrams_dropped_bad_length",
          "datagrams_dropped_bad_count");

  /** Counters of failures, and of exporters that became known. */
  private static final Pattern SHOWN =
      Pattern.compile(
          "dropped|damaged|drops|evicted|expired|withdrawn|failed|queue_full|established");

  private final String bootstrap;
  private final DatagramAttack attack;
  private final Load load;
  private final TrafficModel model;
  private final long knownNanos;
  private CollectorProcess collector;
  private ExporterSimulator routers;
  private long startNanos;
  private Totals last = Totals.NONE;

  /**
   * The good traffic.
   *
   * @param rate flows a second
   * @param time its duration
   */
  record Load(long rate, Duration time, long seed) {}

  /** Totals since the collector began. */
  private record Totals(
      SentCounts.Count good, long attack, Map<String, Long> counts, long rows, GoodRows goodRows) {
    static final Totals NONE =
        new Totals(new SentCounts.Count(0, 0, 0, 0, 0), 0, Map.of(), 0, new GoodRows(0, 0));

    long count(String name) {
      return counts.getOrDefault(name, 0L);
    }
  }

  /**
   * The good exporters' flows in Kafka.
   *
   * @param wrongRate flows of these without their exporter's sampling rate
   */
  private record GoodRows(long rows, long wrongRate) {}

  /**
   * Creates a case that has sent nothing.
   *
   * @param known how long good exporters are known before the attack begins
   */
  CollectorCase(String bootstrap, DatagramAttack attack, Load load, Duration known) {
    this.bootstrap = bootstrap;
    this.attack = attack;
    this.load = load;
    this.model = new TrafficModel(load.seed(), TrafficOptions.defaults());
    this.knownNanos = known.toNanos();
  }

  @Override
  public String name() {
    return attack.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String attack() {
    return attack.words;
  }

  private String topic() {
    return "hostile-" + name();
  }

  @Override
  public Outcome without() throws IOException, InterruptedException {
    collector =
        CollectorProcess.start(false, List.of("--bootstrap", bootstrap, "--topic", topic()));
    routers =
        new ExporterSimulator(
            model, UdpCollector.loopback(collector.port()), ExporterSimulator.defaultExporters());
    startNanos = System.nanoTime();
    routers.run(ExporterSimulator.Pace.of(load.rate(), load.time()));
    return outcome(0);
  }

  @Override
  public Outcome with() throws IOException, InterruptedException {
    long wait = knownNanos - (System.nanoTime() - startNanos);
    Thread.sleep(Math.max(0, wait / 1_000_000));
    InetSocketAddress target = UdpCollector.loopback(collector.port());
    DatagramFlood flood = new DatagramFlood(attack, target, samples(), load.seed());
    FutureTask<Long> sending = new FutureTask<>(flood);
    Thread thread = new Thread(sending, "bench-attack");
    thread.start();
    try {
      routers.run(ExporterSimulator.Pace.of(load.rate(), load.time()));
      flood.stop();
      return outcome(sending.get());
    } catch (ExecutionException e) {
      throw new CommandException("the attack could not be sent: " + e.getCause());
    } finally {
      flood.stop();
      thread.join();
    }
  }

  /** The good exporters' datagrams, to be mutated. */
  private List<byte[]> samples() throws IOException {
    List<byte[]> all = new ArrayList<>();
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        ExporterSimulator again =
            new ExporterSimulator(
                model,
                UdpCollector.loopback(socket.getLocalPort()),
                ExporterSimulator.defaultExporters())) {
      again.run(new ExporterSimulator.Pace(0, 100, Duration.ofSeconds(10), 1_000));
      socket.setSoTimeout(200);
      DatagramPacket packet = new DatagramPacket(new byte[1 << 16], 1 << 16);
      while (true) {
        packet.setLength(1 << 16);
        socket.receive(packet);
        all.add(Arrays.copyOf(packet.getData(), packet.getLength()));
      }
    } catch (SocketTimeoutException e) {
      return all;
    }
  }

  /** The outcome of the traffic since the last call. */
  private Outcome outcome(long attackSent) throws IOException, InterruptedException {
    SentCounts.Count sent = routers.sent().total();
    Map<String, Long> counts = settled(sent.datagrams() + last.attack() + attackSent);
    long[] good = new long[2];
    TopicFlows topic = TopicFlows.read(bootstrap, topic(), batch -> countGood(batch, good));
    Totals now =
        new Totals(
            sent,
            last.attack() + attackSent,
            counts,
            topic.flows(),
            new GoodRows(good[0], good[1]));
    List<String> harms = new ArrayList<>();
    if (!collector.isAlive()) {
      harms.add("the collector has ended");
    }
    long wrong = now.goodRows().wrongRate() - last.goodRows().wrongRate();
    if (wrong != 0) {
      harms.add(String.format("%,d good flows lack their exporter's sampling rate", wrong));
    }
    long goodSent = sent.flows() - last.good().flows();
    long goodStored = now.goodRows().rows() - last.goodRows().rows();
    long rows = now.rows() - last.rows();
    Outcome outcome =
        new Outcome(
            goodSent,
            goodStored,
            attackSent,
            rows - goodStored,
            Outcome.nonZero(counted(now)),
            unaccounted(now) + topic.missing(),
            rows / (load.time().toMillis() / 1e3),
            collector.memory().most(),
            new TreeMap<>(),
            harms);
    last = now;
    return outcome;
  }

  /** Waits until all sent datagrams are taken and in Kafka; returns the collector's counts. */
  private Map<String, Long> settled(long datagrams) throws InterruptedException {
    long start = System.nanoTime();
    while (true) {
      Thread.sleep(1_500); // counts are a second old
      Map<String, Long> counts = collector.counts();
      long taken =
          counts.getOrDefault("datagrams_received", 0L) + counts.getOrDefault("kernel_drops", 0L);
      boolean done = taken >= datagrams && counts.getOrDefault("flows_under_way", 0L) == 0;
      if (done || !collector.isAlive() || System.nanoTime() - start > SETTLED.toNanos()) {
        return counts;
      }
    }
  }

  private static void countGood(FlowBatch batch, long[] good) {
    for (int row = 0; row < batch.rows(); row++) {
      boolean isGood =
          !batch.isNull(FlowColumn.EXPORTER, row)
              && batch.getAddress(FlowColumn.EXPORTER, row).equals(GOOD);
      if (isGood) {
        good[0]++;
        long domain = batch.getLong(FlowColumn.OBSERVATION_DOMAIN, row);
        long rate =
            batch.isNull(FlowColumn.SAMPLING_RATE, row)
                ? 1
                : batch.getLong(FlowColumn.SAMPLING_RATE, row);
        boolean isRight =
            ExporterSimulator.defaultExporters().stream()
                .noneMatch(
                    one ->
                        one.observationDomain() == domain
                            && one.samplingRate() != Math.max(1, rate));
        good[1] += isRight ? 0 : 1;
      }
    }
  }

  private Map<String, Long> counted(Totals now) {
    Map<String, Long> all = new TreeMap<>();
    now.counts()
        .forEach(
            (name, count) -> {
              if (SHOWN.matcher(name).find()) {
                all.put(name, count - last.count(name));
              }
            });
    return all;
  }

  private long unaccounted(Totals now) {
    long datagrams = now.good().datagrams() + now.attack();
    long told = DATAGRAMS.stream().mapToLong(now::count).sum();
    return Math.abs(datagrams - now.count("datagrams_received") - now.count("kernel_drops"))
        + Math.abs(now.count("datagrams_received") - told)
        + Math.abs(
            now.count("flows_decoded") - now.count("flows_published") - now.count("flows_failed"))
        + Math.abs(now.count("flows_published") - now.rows());
  }

  @Override
  public void close() throws IOException {
    try (CollectorProcess ended = collector;
        ExporterSimulator closed = routers) {
      collector = null;
      routers = null;
    }
  }
}
