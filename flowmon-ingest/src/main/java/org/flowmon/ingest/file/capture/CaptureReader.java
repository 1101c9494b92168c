package org.flowmon.ingest.file.capture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.SummarySink;
import org.flowmon.ingest.meter.MeterOptions;
import org.flowmon.ingest.meter.PacketReading;
import org.jspecify.annotations.Nullable;

/**
 * Reads a capture or IPFIX file as a {@link FlowFileReader}: its exports or, if asked for, flows
 * that are made of its packets.
 */
public final class CaptureReader implements FlowFileReader {
  private static final int SAMPLES_PER_REASON = 4;

  private final Path file;
  private final InputFormat format;
  private final FileReadOptions options;

  public CaptureReader(Path file, InputFormat format, FileReadOptions options) {
    this.file = file;
    this.format = format;
    this.options = options;
  }

  @Override
  public FileSummary read(FlowSink out) throws IOException {
    SummarySink sink = new SummarySink(out);
    IngestCounters all = options.counters();
    Map<IngestCounter, Long> before = new EnumMap<>(IngestCounter.class);
    for (IngestCounter counter : IngestCounter.values()) {
      before.put(counter, all.get(counter));
    }
    @Nullable String damage = null;
    options.clock().beginFile();
    try {
      options.clock().addAheadFlows(read(all, sink));
    } catch (IOException e) {
      damage = e.getMessage();
    }
    IngestCounters counters = new IngestCounters(); // of this file
    Map<String, Long> rejected = new LinkedHashMap<>();
    for (IngestCounter counter : IngestCounter.values()) {
      long count = all.get(counter) - before.getOrDefault(counter, 0L);
      counters.add(counter, count);
      if (count > 0 && isToldOf(counter)) {
        rejected.put(counter.label(), count);
      }
    }
    FileSummary summary = sink.summary().of(file, format, rejected, damage);
    if (damage == null && summary.rows() == 0) {
      refuse(counters, rejected);
    }
    return summary;
  }

  private long read(IngestCounters counters, FlowSink sink) throws IOException {
    PacketReading packets = options.packets();
    if (packets.meter().isPresent() && format != InputFormat.IPFIX) {
      MeterOptions meter = packets.meter().get();
      return new PacketFlowsOfFile(counters, meter, options.networks(), packets.tunnels())
          .read(file, sink);
    }
    BadDatagramSamples samples = new BadDatagramSamples(SAMPLES_PER_REASON);
    DecoderLimits limits = DecoderLimits.defaults().forFiles();
    return new ExportsOfFile(counters, samples, options.networks(), limits, packets.tunnels())
        .read(file, options.captures(), sink);
  }

  /** Throws if a capture has no flows, because it holds something else. */
  private void refuse(IngestCounters counters, Map<String, Long> rejected) throws IOException {
    if (format == InputFormat.IPFIX) {
      return;
    }
    long packets = counters.get(IngestCounter.PACKETS_READ);
    if (packets == 0) {
      throw new IOException(file + ": a capture without packets");
    }
    if (options.packets().meter().isPresent()) {
      throw new IOException(
          file + ": none of its " + packets + " packets has a whole IP header " + rejected);
    }
    long exports =
        counters.get(IngestCounter.DATAGRAMS_DECODED)
            + counters.get(IngestCounter.DATAGRAMS_DAMAGED);
    if (2 * exports < packets) {
      throw new IOException(
          file
              + ": a capture of other traffic: "
              + (exports == 0 ? "none" : "only " + exports)
              + " of its "
              + packets
              + " packets is NetFlow, IPFIX or sFlow "
              + rejected
              + "; --from-packets makes flows of the packets themselves");
    }
  }

  /** Losses, and what was left out or became NULL. */
  private static boolean isToldOf(IngestCounter counter) {
    String name = counter.name();
    return counter.isLoss() || name.contains("_DROPPED_") || name.contains("_SKIPPED_");
  }
}
