package org.flowmon.deploy.generate;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.flowmon.deploy.export.file.PartFile;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.CaptureOutput;
import org.flowmon.ingest.synthetic.exporter.DatagramOutput;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.RouterExports;
import org.flowmon.ingest.synthetic.exporter.UdpOutput;

/** The datagrams of the routers, over UDP or in a capture. */
final class WireOutput implements FlowOutput {
  /** How long before the first flow the routers were started. */
  private static final long UPTIME_MILLIS = Duration.ofDays(3).toMillis();

  private final FlowOrigin origin;
  private final DatagramOutput datagrams;
  private final Closing file;
  private Optional<RouterExports> exports = Optional.empty(); // from the first flow on

  /** What holds the datagrams. */
  private interface Closing extends AutoCloseable {
    void publish() throws IOException;

    @Override
    void close() throws IOException;
  }

  private WireOutput(FlowOrigin origin, DatagramOutput datagrams, Closing file) {
    this.origin = origin;
    this.datagrams = datagrams;
    this.file = file;
  }

  static WireOutput udp(FlowOrigin origin, InetSocketAddress target) throws IOException {
    UdpOutput sockets = new UdpOutput(target, origin.routers().size());
    return new WireOutput(
        origin,
        sockets,
        new Closing() {
          @Override
          public void publish() {
            // Datagrams cannot be taken back.
          }

          @Override
          public void close() throws IOException {
            sockets.close();
          }
        });
  }

  static WireOutput capture(FlowOrigin origin, Path path, boolean replace) throws IOException {
    PartFile part = new PartFile(path, replace);
    CaptureOutput capture = new CaptureOutput(origin.routers(), part.stream());
    return new WireOutput(
        origin,
        capture,
        new Closing() {
          @Override
          public void publish() throws IOException {
            capture.flush();
            part.publish();
          }

          @Override
          public void close() throws IOException {
            part.close();
          }
        });
  }

  @Override
  public void add(int router, SyntheticFlow flow, long nowMillis) throws IOException {
    if (exports.isEmpty()) {
      exports =
          Optional.of(
              new RouterExports(
                  origin.routers(),
                  nowMillis - UPTIME_MILLIS,
                  origin.faults(),
                  origin.seed(),
                  datagrams));
    }
    exports.get().export(router, flow, nowMillis);
  }

  @Override
  public void advance(long nowMillis) throws IOException {
    if (exports.isPresent()) {
      exports.get().advance(nowMillis);
    }
  }

  @Override
  public boolean isLive() {
    return datagrams instanceof UdpOutput;
  }

  @Override
  public void finish(long nowMillis) throws IOException {
    if (exports.isPresent()) {
      exports.get().flush(nowMillis);
    }
    file.publish();
  }

  @Override
  public List<String> told() {
    List<String> lines = new ArrayList<>();
    exports.ifPresent(
        all -> {
          all.sent()
              .byVersion()
              .forEach(
                  (version, count) ->
                      lines.add(
                          String.format(
                              Locale.ROOT,
                              "  %s: %,d records in %,d datagrams, %,d bytes",
                              version.label(),
                              count.flows(),
                              count.datagrams(),
                              count.datagramBytes())));
          if (!origin.faults().equals(Faults.NONE)) {
            Faults.Counts counts = all.faults();
            lines.add(
                String.format(
                    Locale.ROOT,
                    "  of them lost %,d, malformed %,d (%,d records), sent twice %,d datagrams;"
                        + " templates not sent %,d times",
                    counts.lost(),
                    counts.malformed(),
                    counts.recordsLost(),
                    counts.duplicates(),
                    counts.templatesLost()));
          }
        });
    return lines;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
