package org.flowmon.deploy.generate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.block.FlowBlock;
import org.flowmon.archive.block.FlowScan;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.input.InputOptions;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.ingest.file.FileReason;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.flowmon.ingest.publish.BatchCollectingSink;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;
import org.flowmon.ingest.synthetic.scenario.Attack;
import org.flowmon.ingest.synthetic.scenario.RecordedFlows;

/**
 * A recorded trace, played once or several times: files that import reads, and archives in the
 * order of time, one after the other. Each time all times are shifted as a whole, so that it begins
 * when the one before ended.
 */
final class TraceOrigin implements FlowOrigin {
  private final List<String> inputs;
  private final Supplier<FileReadOptions> options;
  private final List<SimulatedRouter> routers;
  private final Optional<Instant> start;
  private final long loops;
  private final RecordedFlows recorded = new RecordedFlows();
  private final SyntheticFlow flow = new SyntheticFlow();

  private boolean begun;
  private boolean wanted = true;
  private long firstMillis; // as recorded
  private long shift;
  private long now;
  private long withoutAddresses;
  private long rejected;

  /** Ends a reader early. */
  private static final class EnoughException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /**
   * The trace, read anew each time.
   *
   * @param options of reading its files, new ones each time
   * @param start when the first flow is exported; empty: as recorded
   * @param loops 0 for without end
   */
  TraceOrigin(
      List<String> inputs,
      Supplier<FileReadOptions> options,
      List<SimulatedRouter> routers,
      Optional<Instant> start,
      long loops) {
    this.inputs = List.copyOf(inputs);
    this.options = options;
    this.routers = List.copyOf(routers);
    this.start = start;
    this.loops = loops;
  }

  @Override
  public String name() {
    return String.join(", ", inputs);
  }

  @Override
  public String identity() {
    return "trace " + inputs + routers + start + loops;
  }

  @Override
  public long seed() {
    return 1;
  }

  @Override
  public List<SimulatedRouter> routers() {
    return routers;
  }

  @Override
  public Faults faults() {
    return Faults.NONE;
  }

  @Override
  public List<Attack> attacks() {
    return List.of();
  }

  @Override
  public long durationMillis() {
    return 0;
  }

  @Override
  public void forEach(FlowConsumer consumer) throws IOException {
    for (long loop = 0; wanted && (loops == 0 || loop < loops); loop++) {
      if (loop > 0) {
        shift = now + 1 - firstMillis;
      }
      FileReadOptions reading = options.get();
      for (String input : inputs) {
        play(input, reading, consumer);
      }
      if (!begun) {
        return; // without any flow it would never end
      }
    }
  }

  private void play(String input, FileReadOptions reading, FlowConsumer consumer)
      throws IOException {
    if (!wanted) {
      return;
    }
    if (input.contains("://") || Files.isDirectory(Path.of(input))) {
      playArchive(input, consumer);
    } else {
      playFile(Path.of(input), reading, consumer);
    }
  }

  private void playArchive(String address, FlowConsumer consumer) throws IOException {
    List<FlowColumn> columns = recorded.columns();
    try (Archive archive = ArchiveOption.open(location(address));
        ArchiveSnapshot snapshot = archive.snapshot();
        FlowScan scan =
            FlowScan.of(snapshot)
                .columns(columns.get(0), columns.toArray(FlowColumn[]::new))
                .inTimeOrder()
                .open()) {
      for (FlowBlock block = scan.next(); wanted && block != null; block = scan.next()) {
        play(block, consumer);
      }
    }
  }

  static ArchiveLocation location(String address) {
    try {
      return ArchiveLocation.parse(address, Map.of());
    } catch (IllegalArgumentException e) {
      throw new UsageException(address + ": " + e.getMessage());
    }
  }

  private void playFile(Path file, FileReadOptions reading, FlowConsumer consumer)
      throws IOException {
    reading.clock().beginFile();
    FileSummary summary;
    try {
      summary = read(InputOptions.open(file, reading), batch -> playBatch(batch, consumer));
    } catch (EnoughException e) {
      return;
    }
    rejected += summary.rejectedTotal();
    if (summary.damage() != null) {
      throw new IOException(file + ": damaged: " + FileReason.withoutName(file, summary.damage()));
    }
  }

  private static FileSummary read(FlowFileReader reader, Consumer<FlowBatch> batches)
      throws IOException {
    if (reader instanceof ParallelFlowReader parallel) {
      return parallel.read(Runtime.getRuntime().availableProcessors(), batches);
    }
    try (BatchCollectingSink sink = new BatchCollectingSink(RecordedFlows.ROWS, batches)) {
      return reader.read(sink);
    }
  }

  private void playBatch(FlowBatch batch, FlowConsumer consumer) {
    try {
      if (wanted) {
        play(batch, consumer);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!wanted) {
      throw new EnoughException();
    }
  }

  private void play(FlowRows rows, FlowConsumer consumer) throws IOException {
    for (int from = 0; wanted && from < rows.rows(); from += RecordedFlows.ROWS) {
      int count = Math.min(RecordedFlows.ROWS, rows.rows() - from);
      recorded.read(rows, from, count);
      for (int row = 0; wanted && row < count; row++) {
        play(row, consumer);
      }
    }
  }

  private void play(int row, FlowConsumer consumer) throws IOException {
    long arrival = recorded.arrivalMillis(row);
    if (!begun) {
      begun = true;
      firstMillis = arrival;
      shift = start.isPresent() ? start.get().toEpochMilli() - arrival : 0;
      now = arrival + shift;
    }
    now = Math.max(now, arrival + shift);
    if (!recorded.write(row, shift, flow)) {
      withoutAddresses++;
      return;
    }
    wanted = consumer.accept(flow, now);
    if (wanted && recorded.hasReverse(row)) {
      recorded.write(row, shift, flow); // the consumer may have changed it
      recorded.writeReverse(row, flow);
      wanted = consumer.accept(flow, now);
    }
  }

  @Override
  public List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    if (withoutAddresses > 0) {
      remarks.add(
          String.format(
              Locale.ROOT,
              "left out, as no router can export them: %,d flows without two addresses of one"
                  + " family",
              withoutAddresses));
    }
    if (rejected > 0) {
      remarks.add(
          String.format(Locale.ROOT, "left out: %,d lines or records that are no flows", rejected));
    }
    return remarks;
  }
}
