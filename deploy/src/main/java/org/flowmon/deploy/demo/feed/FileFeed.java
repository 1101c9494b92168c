package org.flowmon.deploy.demo.feed;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.file.FileReason;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.publish.FlowPublisher;

/** Files → Kafka, one after the other, as fast as Kafka takes them. */
final class FileFeed implements FlowFeed {
  /** Formats whose rejected lines are unread flows; captures reject datagrams. */
  private static final Set<InputFormat> TEXT =
      EnumSet.of(
          InputFormat.ZEEK_TSV,
          InputFormat.ZEEK_JSON,
          InputFormat.CSV,
          InputFormat.JSON,
          InputFormat.JSON_DOCUMENT,
          InputFormat.AZURE);

  private final FlowPublisher publisher;
  private final List<Path> files;
  private final CountingSink sink;
  // Guarded by this.
  private final Map<String, Long> rejected = new TreeMap<>();
  private final Map<String, Long> notUnderstood = new TreeMap<>();
  private final List<InputFaults.LeftOut> leftOut = new ArrayList<>();
  private final FeedThread reader;
  private volatile boolean stopped;

  FileFeed(FlowPublisher publisher, List<Path> files) {
    this.publisher = publisher;
    this.sink = new CountingSink(publisher);
    this.files = files;
    this.reader = new FeedThread("demo-files", this::readAll);
  }

  private void readAll() {
    FileReadOptions options = FileReadOptions.defaults();
    for (Path file : files) {
      if (stopped) {
        return;
      }
      long before = sink.rows();
      String damage = "";
      try {
        FileSummary summary = FlowFiles.open(file, options).read(sink);
        count(summary);
        damage = summary.damage() == null ? "" : summary.damage();
      } catch (UnknownFormatException e) {
        damage = e.seen();
      } catch (IOException e) {
        damage = e.getMessage() == null ? e.toString() : e.getMessage();
      }
      if (!damage.isEmpty()) {
        leaveOut(file, sink.rows() - before, FileReason.withoutName(file, damage));
      }
    }
  }

  private synchronized void count(FileSummary summary) {
    Map<String, Long> counts = TEXT.contains(summary.format()) ? rejected : notUnderstood;
    summary.rejected().forEach((reason, count) -> counts.merge(reason, count, Long::sum));
    counts.values().removeIf(count -> count == 0);
  }

  /** Notes a damaged file. Flows read before the damage are sent, and later files are read. */
  private synchronized void leaveOut(Path file, long flows, String reason) {
    leftOut.add(new InputFaults.LeftOut(file, flows, reason));
  }

  /** Counts the flows of the readers, which are the senders here. */
  private static final class CountingSink implements FlowSink {
    private final FlowPublisher publisher;
    private final AtomicLong rows = new AtomicLong();

    @SuppressWarnings("NullAway.Init") // builder() comes first
    private FlowBatchBuilder builder;

    private volatile long lastArrival = Long.MIN_VALUE;

    CountingSink(FlowPublisher publisher) {
      this.publisher = publisher;
    }

    long rows() {
      return rows.get();
    }

    @Override
    public FlowBatchBuilder builder() {
      builder = publisher.builder();
      return builder;
    }

    @Override
    public void rowsEnded(int count) {
      if (count > 0) {
        long arrival = builder.getLong(FlowColumn.ARRIVAL, builder.rows() - 1);
        lastArrival = Math.max(lastArrival, arrival);
      }
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

  /** Flows read, and rejected lines of text files, which should have been flows. */
  @Override
  public synchronized long sent() {
    return sink.rows() + rejected.values().stream().mapToLong(n -> n).sum();
  }

  @Override
  public synchronized Map<String, Long> dropped() {
    Map<String, Long> dropped = new TreeMap<>(rejected);
    publisher
        .stats()
        .failedByReason()
        .forEach((reason, flows) -> dropped.put("publish " + reason, flows));
    return dropped;
  }

  @Override
  public long others() {
    return 0; // nobody can send to a file
  }

  @Override
  public synchronized Map<String, Long> notUnderstood() {
    return new TreeMap<>(notUnderstood);
  }

  @Override
  public synchronized List<InputFaults.LeftOut> leftOut() {
    return List.copyOf(leftOut);
  }

  @Override
  public Set<Long> producerIds() {
    return publisher.producerIds();
  }

  @Override
  public void finish() throws IOException, InterruptedException {
    reader.await();
    if (sink.rows() > 0) {
      publisher.endOfFile(sink.lastArrival);
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
