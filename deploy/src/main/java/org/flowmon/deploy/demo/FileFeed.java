package org.flowmon.deploy.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.file.FileReadOptions;
import org.flowmon.ingest.file.FileSummary;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.InputFormat;
import org.flowmon.ingest.publish.FlowPublisher;

/** Files → Kafka, one after the other, as fast as Kafka takes them. */
final class FileFeed implements FlowFeed {
  /**
   * Where a rejected line is a flow that was not read; what captures reject is not counted in
   * flows.
   */
  private static final Set<InputFormat> TEXT =
      EnumSet.of(InputFormat.ZEEK_TSV, InputFormat.ZEEK_JSON);

  private final FlowPublisher publisher;
  private final List<Path> files;
  private final AtomicLong read = new AtomicLong();
  private final Map<String, Long> rejected = new TreeMap<>();
  private final FeedThread reader;
  private volatile boolean stopped;
  private long lastArrival = Long.MIN_VALUE;

  FileFeed(FlowPublisher publisher, List<Path> files) {
    this.publisher = publisher;
    this.files = files;
    this.reader = new FeedThread("demo-files", this::readAll);
  }

  private void readAll() throws IOException {
    FileReadOptions options = FileReadOptions.defaults();
    for (Path file : files) {
      if (stopped) {
        return;
      }
      FileSummary summary = FlowFiles.open(file, options).read(new CountingSink(publisher, read));
      if (summary.damage() != null) {
        throw new IOException(file + " is damaged: " + summary.damage());
      }
      lastArrival = Math.max(lastArrival, summary.lastArrival());
      synchronized (rejected) {
        if (TEXT.contains(summary.format())) {
          summary.rejected().forEach((reason, lines) -> rejected.merge(reason, lines, Long::sum));
        }
      }
    }
  }

  /** Counts what the readers hand over: they are the senders here. */
  private record CountingSink(FlowPublisher publisher, AtomicLong rows) implements FlowSink {
    @Override
    public FlowBatchBuilder builder() {
      return publisher.builder();
    }

    @Override
    public void rowsEnded(int count) {
      rows.addAndGet(count);
      publisher.rowsEnded(count);
    }
  }

  @Override
  public void tellWhereItListens(PrintStream out) {
    // It does not listen.
  }

  @Override
  public void start() {
    reader.start();
  }

  @Override
  public boolean isSending() {
    return reader.isRunning();
  }

  /** Flows read, and lines of text files that should have been flows. */
  @Override
  public long sent() {
    synchronized (rejected) {
      return read.get() + rejected.values().stream().mapToLong(n -> n).sum();
    }
  }

  @Override
  public Map<String, Long> dropped() {
    Map<String, Long> dropped;
    synchronized (rejected) {
      dropped = new TreeMap<>(rejected);
    }
    publisher
        .stats()
        .failedByReason()
        .forEach((reason, flows) -> dropped.put("publish " + reason, flows));
    return dropped;
  }

  @Override
  public long others() {
    return 0; // nobody sends to a file
  }

  @Override
  public Set<Long> producerIds() {
    return publisher.producerIds();
  }

  @Override
  public void stop() {
    stopped = true;
  }

  @Override
  public void finish() throws IOException, InterruptedException {
    reader.await();
    if (lastArrival != Long.MIN_VALUE) {
      publisher.endOfFile(lastArrival);
    } else {
      publisher.flush();
    }
  }

  @Override
  public void close() {
    stopped = true;
    publisher.close();
  }
}
