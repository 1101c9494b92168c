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
import org.jspecify.annotations.Nullable;

/** Reads a capture or IPFIX file as a {@link FlowFileReader}. */
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
    IngestCounters counters = options.counters();
    Map<IngestCounter, Long> before = new EnumMap<>(IngestCounter.class);
    for (IngestCounter counter : IngestCounter.values()) {
      before.put(counter, counters.get(counter));
    }
    ExportsOfFile reader =
        new ExportsOfFile(
            counters,
            new BadDatagramSamples(SAMPLES_PER_REASON),
            options.networks(),
            DecoderLimits.defaults().forFiles());
    @Nullable String damage = null;
    options.clock().beginFile();
    try {
      options.clock().addAheadFlows(reader.read(file, options.captures(), sink));
    } catch (IOException e) {
      damage = e.getMessage();
    }
    Map<String, Long> rejected = new LinkedHashMap<>();
    for (IngestCounter counter : IngestCounter.values()) {
      long count = counters.get(counter) - before.getOrDefault(counter, 0L);
      if (count > 0 && isLoss(counter)) {
        rejected.put(counter.label(), count);
      }
    }
    return sink.summary().of(file, format, rejected, damage);
  }

  private static boolean isLoss(IngestCounter counter) {
    String name = counter.name();
    return name.contains("_DROPPED_") || name.contains("_SKIPPED_");
  }
}
