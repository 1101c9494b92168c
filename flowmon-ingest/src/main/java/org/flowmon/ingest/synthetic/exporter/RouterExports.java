package org.flowmon.ingest.synthetic.exporter;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/** Puts the flows of some routers into their datagrams, and counts them. Not thread-safe. */
public final class RouterExports {
  /** Incomplete datagrams are sent after this time, like those of a router's export timer. */
  private static final long FLUSH_MILLIS = 100;

  private static final long NEVER = Long.MAX_VALUE;

  private final List<SimulatedRouter> routers;
  private final ExportEncoder[] encoders;
  private final Tally[] tallies;
  private final WireFaults faults;
  private final DatagramOutput out;

  /** When the oldest record in a datagram that is not full yet was added. */
  private long openSinceMillis = NEVER;

  /** Counts of one router. */
  private static final class Tally {
    long datagrams;
    long datagramBytes;
    long records;
    long bytes;
    long packets;
  }

  /**
   * Begins with empty datagrams.
   *
   * @param bootMillis when the routers were started, before all flows
   * @param seed of the faults
   */
  public RouterExports(
      List<SimulatedRouter> routers,
      long bootMillis,
      Faults shares,
      long seed,
      DatagramOutput out) {
    this.routers = List.copyOf(routers);
    this.faults = new WireFaults(shares, seed);
    this.out = out;
    this.encoders = new ExportEncoder[routers.size()];
    this.tallies = new Tally[routers.size()];
    for (int i = 0; i < encoders.length; i++) {
      encoders[i] = routers.get(i).encoder(bootMillis + routers.get(i).clockSkewMillis());
      encoders[i].faults = faults;
      tallies[i] = new Tally();
    }
  }

  /** The flow is as {@link RouterFleet#observe} left it, and changed if it takes many records. */
  public void export(int router, SyntheticFlow flow, long nowMillis) throws IOException {
    advance(nowMillis);
    openSinceMillis = Math.min(openSinceMillis, nowMillis);
    ExportEncoder encoder = encoders[router];
    Tally tally = tallies[router];
    tally.bytes += flow.bytes;
    tally.packets += flow.packets;
    long records = encoder.records(flow);
    if (records == 1) {
      add(router, encoder, flow, nowMillis);
      return;
    }
    long bytes = flow.bytes;
    long packets = flow.packets;
    for (long i = 0; i < records; i++) {
      flow.bytes = bytes / records + (i < bytes % records ? 1 : 0);
      flow.packets = packets / records + (i < packets % records ? 1 : 0);
      add(router, encoder, flow, nowMillis);
    }
    flow.bytes = bytes;
    flow.packets = packets;
  }

  private void add(int router, ExportEncoder encoder, SyntheticFlow flow, long nowMillis)
      throws IOException {
    long clock = nowMillis + routers.get(router).clockSkewMillis();
    if (!encoder.add(flow, clock)) {
      send(router, nowMillis);
      if (!encoder.add(flow, clock)) {
        throw new IllegalStateException(
            "an empty datagram of " + routers.get(router) + " has no room for a flow");
      }
    }
  }

  /**
   * Sends, with their own time, datagrams whose time is over by then although they are not full.
   */
  public void advance(long nowMillis) throws IOException {
    if (nowMillis - FLUSH_MILLIS >= openSinceMillis) {
      flush(openSinceMillis + FLUSH_MILLIS);
    }
  }

  /** Sends the datagrams that are not full yet. */
  public void flush(long nowMillis) throws IOException {
    openSinceMillis = NEVER;
    for (int r = 0; r < encoders.length; r++) {
      if (encoders[r].flows() > 0) {
        send(r, nowMillis);
      }
    }
  }

  private void send(int router, long nowMillis) throws IOException {
    SimulatedRouter sender = routers.get(router);
    int records = encoders[router].flows();
    ByteBuffer datagram = encoders[router].finish(nowMillis + sender.clockSkewMillis());
    tallies[router].datagrams++;
    tallies[router].datagramBytes += datagram.remaining();
    tallies[router].records += records;
    if (faults.loses(records)) {
      return;
    }
    faults.damage(datagram, sender.version(), records);
    int length = datagram.limit();
    out.send(router, datagram, nowMillis);
    if (faults.duplicates()) {
      out.send(router, datagram.position(0).limit(length), nowMillis);
    }
  }

  /**
   * What the routers sent, before anything went wrong; flows in open datagrams count as bytes and
   * packets only. Of sFlow the packets are the flows.
   */
  public SentCounts sent() {
    Map<SourceKind, SentCounts.Count> counts = new EnumMap<>(SourceKind.class);
    for (int r = 0; r < tallies.length; r++) {
      Tally t = tallies[r];
      if (t.datagrams > 0) {
        SentCounts.Count count =
            new SentCounts.Count(t.datagrams, t.datagramBytes, t.records, t.bytes, t.packets);
        counts.merge(routers.get(r).version(), count, SentCounts.Count::plus);
      }
    }
    return new SentCounts(counts);
  }

  public Faults.Counts faults() {
    return faults.counts();
  }
}
