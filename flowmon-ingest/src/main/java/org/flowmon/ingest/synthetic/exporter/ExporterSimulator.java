package org.flowmon.ingest.synthetic.exporter;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.synthetic.FlowStream;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.jspecify.annotations.Nullable;

/**
 * Several routers in one thread, each with its own port and observation domain: sends the live part
 * of a {@link TrafficModel} as NetFlow v5, v9 and IPFIX over UDP and counts the flows. {@link #run}
 * belongs to one thread; any thread may call {@link #sent} and {@link #stop}.
 */
public final class ExporterSimulator implements AutoCloseable {
  private static final double CATCH_UP_NANOS = 20e6;

  /** The catch-up with a receiver that is waited for, which no burst can overrun. */
  private static final double CATCH_UP_GUARDED_NANOS = 5e9;

  private static final long STALL_NANOS = 2_000_000_000L;
  private static final long UPTIME_MILLIS = Duration.ofDays(3).toMillis();

  /**
   * The rate and the end of a run, by time and by count.
   *
   * @param flowsPerSecond 0 for as fast as possible
   * @param burst flows sent between two pauses; the smaller, the more even
   */
  public record Pace(long flowsPerSecond, int burst, Duration duration, long flows) {
    public Pace {
      if (flowsPerSecond < 0
          || burst < 1
          || burst > 100_000
          || duration.isNegative()
          || flows < 0) {
        throw new IllegalArgumentException(
            String.format(
                "pace of %s flows/s, burst %s, for %s, at most %s flows: expected no negative"
                    + " number and a burst of 1…100000",
                flowsPerSecond, burst, duration, flows));
      }
    }

    /** Returns a rate for a time, in bursts of about 2 ms. */
    public static Pace of(long flowsPerSecond, Duration duration) {
      int burst = (int) Math.max(1, Math.min(10_000, flowsPerSecond / 500));
      return new Pace(flowsPerSecond, burst, duration, Long.MAX_VALUE);
    }
  }

  private final TrafficModel model;
  private final List<SimulatedRouter> exporters;
  private final RouterFleet fleet;
  private final UdpOutput sockets;
  private volatile boolean stopped;
  private @Nullable LongSupplier received;
  private int underWay;

  /** Sent and not given up as lost. */
  private long datagrams;

  private volatile SentCounts sent = new SentCounts(Map.of());

  /**
   * Sockets on loopback or any address of the target's family, one for each exporter.
   *
   * @throws IllegalArgumentException if the model has IPv6 and no exporter can carry it
   */
  public ExporterSimulator(
      TrafficModel model, InetSocketAddress target, List<SimulatedRouter> exporters)
      throws IOException {
    this.fleet = new RouterFleet(exporters, PacketSampler.OF_EVERY_FLOW);
    boolean noIpv6 = exporters.stream().allMatch(e -> e.version() == SourceKind.NETFLOW_V5);
    if (noIpv6 && model.options().ipv6Share() > 0) {
      throw new IllegalArgumentException("the traffic has IPv6, which NetFlow v5 cannot carry");
    }
    this.model = model;
    this.exporters = List.copyOf(exporters);
    this.sockets = new UdpOutput(target, exporters.size());
  }

  /** V5, v9, v9 with sampling of 1 in 10, and IPFIX. */
  public static List<SimulatedRouter> defaultExporters() {
    return List.of(
        new SimulatedRouter(SourceKind.NETFLOW_V5, 0x0101, 1, 3),
        new SimulatedRouter(SourceKind.NETFLOW_V9, 901, 1, 3),
        new SimulatedRouter(SourceKind.NETFLOW_V9, 902, 10, 1),
        new SimulatedRouter(SourceKind.IPFIX, 1001, 1, 3));
  }

  /** Blocks until the pace's end or {@link #stop}; returns the counts of all runs. */
  public SentCounts run(Pace pace) throws IOException {
    long start = System.currentTimeMillis();
    long startNanos = System.nanoTime();
    FlowStream stream = model.live(start);
    RouterExports exports =
        new RouterExports(exporters, start - UPTIME_MILLIS, Faults.NONE, 0, this::send);
    SentCounts before = sent;
    SyntheticFlow flow = new SyntheticFlow();
    Pacer pacer =
        new Pacer(
            pace.flowsPerSecond(),
            pace.burst(),
            received == null ? CATCH_UP_NANOS : CATCH_UP_GUARDED_NANOS,
            startNanos);
    long now = start;
    for (long done = 0;
        done < pace.flows()
            && !stopped
            && System.nanoTime() - startNanos < pace.duration().toNanos(); ) {
      now =
          Math.max(
              now, System.currentTimeMillis()); // the clock may be set back, exports never go back
      int burst = (int) Math.min(pacer.burst(), pace.flows() - done);
      for (int i = 0; i < burst; i++) {
        stream.next(now, flow);
        exports.export(fleet.observe(flow), flow, now);
      }
      done += burst;
      sent = before.plus(exports.sent());
      pacer.await(burst);
    }
    exports.flush(now);
    sent = before.plus(exports.sent());
    return sent;
  }

  /**
   * Makes {@link #run} wait while more than {@code atMost}, as its socket holds, are under way, so
   * that a slow receiver loses none. Real exporters do not wait; demos and tests of exact counts
   * do.
   */
  public void waitForReceiver(LongSupplier receivedDatagrams, int atMost) {
    received = receivedDatagrams;
    underWay = atMost;
  }

  /** Unless it has stopped; then datagrams that it does not take are lost. */
  private void awaitReceiver(LongSupplier received) {
    long giveUp = System.nanoTime() + STALL_NANOS;
    long seen = received.getAsLong();
    while (datagrams - seen >= underWay && !stopped) {
      LockSupport.parkNanos(50_000);
      long now = received.getAsLong();
      if (now != seen) {
        seen = now;
        giveUp = System.nanoTime() + STALL_NANOS;
      } else if (System.nanoTime() > giveUp || Thread.currentThread().isInterrupted()) {
        datagrams = seen; // these are lost; the sent counts keep them
      }
    }
  }

  private void send(int router, ByteBuffer datagram, long nowMillis) throws IOException {
    if (received != null) {
      awaitReceiver(received);
    }
    sockets.send(router, datagram, nowMillis);
    datagrams++;
  }

  public Set<Integer> ports() throws IOException {
    return sockets.ports();
  }

  /** During a run, bytes and packets include flows of datagrams that are still open. */
  public SentCounts sent() {
    return sent;
  }

  /** Ends {@link #run} after it has sent the open datagrams. */
  public void stop() {
    stopped = true;
  }

  @Override
  public void close() throws IOException {
    sockets.close();
  }
}
