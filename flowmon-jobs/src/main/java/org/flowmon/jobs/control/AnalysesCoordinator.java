package org.flowmon.jobs.control;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.RecreateOnResetOperatorCoordinator;
import org.apache.flink.util.function.SerializableFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.flowmon.jobs.config.AnalysisChange;
import org.flowmon.jobs.config.AnalysisSet;
import org.flowmon.jobs.config.JobConfig;
import org.flowmon.jobs.lowlevel.AnalysesEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the {@link ControlTopic} from the JobManager and tells each task of the low level of what
 * has changed. Flink delivers what it says before a checkpoint to every task before that
 * checkpoint's barrier, or fails over, so that all tasks of a checkpoint run the same analyses.
 *
 * <p>A message that is no analysis, or one that the job cannot run, is refused: the log and {@link
 * ControlStatus} say why, and what ran goes on as it was.
 *
 * <p>Metrics in group {@code flowmon}: {@code analysis_changes}, {@code refused_analysis_changes}.
 */
public final class AnalysesCoordinator implements OperatorCoordinator {
  private static final Logger LOG = LoggerFactory.getLogger(AnalysesCoordinator.class);
  private static final int VERSION = 1;
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final long PAUSE_MILLIS = 5_000;

  private final Settings settings;
  private final Context context;
  private final Map<Integer, SubtaskGateway> gateways = new HashMap<>();
  private final TreeMap<String, AnalysisChange> changes = new TreeMap<>();
  private final AtomicLong applied = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private long position;
  private volatile boolean closed;
  private volatile KafkaConsumer<byte[], byte[]> consumer;
  private Thread thread;

  /**
   * What it is to do.
   *
   * @param contents what the topic said when the job was submitted
   * @param position the offset after it
   * @param check says why a change cannot be made, null where it can; makes what it needs
   */
  public record Settings(
      JobConfig.Kafka kafka,
      List<AnalysisChange> contents,
      long position,
      SerializableFunction<AnalysisChange, String> check)
      implements Serializable {
    public Settings {
      contents = List.copyOf(contents);
    }
  }

  /** Makes it in the JobManager. */
  static final class Provider extends RecreateOnResetOperatorCoordinator.Provider {
    private static final long serialVersionUID = 1L;

    private final Settings settings;

    Provider(OperatorID operator, Settings settings) {
      super(operator);
      this.settings = settings;
    }

    @Override
    protected OperatorCoordinator getCoordinator(Context context) {
      return new AnalysesCoordinator(settings, context);
    }
  }

  AnalysesCoordinator(Settings settings, Context context) {
    this.settings = settings;
    this.context = context;
    settings.contents().forEach(this::note);
    position = settings.position();
    MetricGroup metrics = context.metricGroup().addGroup("flowmon");
    metrics.gauge("analysis_changes", applied::get);
    metrics.gauge("refused_analysis_changes", refused::get);
  }

  private synchronized boolean isOneTooMany(AnalysisChange change) {
    return changes.size() >= AnalysisSet.MAX_NAMES && !changes.containsKey(change.name());
  }

  private boolean note(AnalysisChange change) {
    AnalysisChange last = changes.get(change.name());
    if (last != null && last.version() >= change.version()) {
      return false;
    }
    changes.put(change.name(), change);
    return true;
  }

  @Override
  public void start() {
    thread = new Thread(this::follow, "flowmon-analyses");
    thread.setDaemon(true);
    thread.setContextClassLoader(context.getUserCodeClassloader());
    thread.start();
  }

  private void follow() {
    while (!closed) {
      try (KafkaConsumer<byte[], byte[]> opened = new ControlTopic(settings.kafka()).consumer();
          ControlStatus status = new ControlStatus(settings.kafka())) {
        consumer = opened;
        follow(opened, status);
      } catch (WakeupException e) {
        // closed
      } catch (OffsetOutOfRangeException e) {
        LOG.error(
            "topic {} was made anew, or lost messages, since this job's checkpoint: changes of"
                + " analyses are not followed until the job is started without that state",
            settings.kafka().analysesTopic(),
            e);
        return;
      } catch (KafkaException e) {
        LOG.warn(
            "topic {} of analyses cannot be read, next attempt in {} s: {}",
            settings.kafka().analysesTopic(),
            PAUSE_MILLIS / 1000,
            e.toString());
        pause();
      } finally {
        consumer = null;
      }
    }
  }

  private void follow(KafkaConsumer<byte[], byte[]> opened, ControlStatus status) {
    TopicPartition partition =
        new TopicPartition(settings.kafka().analysesTopic(), ControlTopic.PARTITION);
    opened.assign(List.of(partition));
    opened.seek(partition, position());
    while (!closed) {
      for (ConsumerRecord<byte[], byte[]> record : opened.poll(POLL)) {
        take(record, status);
      }
    }
  }

  private synchronized long position() {
    return position;
  }

  private void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> record, ControlStatus status) {
    String error = null;
    AnalysisChange change = null;
    if (ControlTopic.isMessage(record)) {
      change = ControlTopic.change(record);
      error =
          isOneTooMany(change)
              ? AnalysisSet.MAX_NAMES + " names have changed, and no more may"
              : settings.check().apply(change);
    } else {
      error = "the message at offset " + record.offset() + " is no analysis";
    }
    CompletableFuture<?> delivered;
    synchronized (this) {
      position = record.offset() + 1;
      if (error != null || !note(change)) {
        delivered = null;
      } else {
        delivered = tell();
      }
    }
    if (error != null) {
      refused.incrementAndGet();
      LOG.error("topic {}: refused: {}", record.topic(), error);
      if (change != null) {
        status.refused(change, error);
      }
    } else if (delivered != null) {
      applied.incrementAndGet();
      AnalysisChange taken = change;
      LOG.info(
          "analysis {} {}, version {}",
          taken.name(),
          taken.text() == null ? "goes" : "comes or changes",
          taken.version());
      // whether or not all could be told: who could not is restarted and told then
      var unused = delivered.whenComplete((done, failure) -> status.taken(taken));
    }
  }

  /** Tells all tasks that run; the others are told when they do. */
  private CompletableFuture<?> tell() {
    List<CompletableFuture<?>> sent = new ArrayList<>();
    gateways.values().forEach(gateway -> sent.add(gateway.sendEvent(event())));
    return CompletableFuture.allOf(sent.toArray(new CompletableFuture<?>[0]));
  }

  private AnalysesEvent event() {
    return new AnalysesEvent(new ArrayList<>(changes.values()));
  }

  @Override
  public synchronized void executionAttemptReady(int subtask, int attempt, SubtaskGateway gateway) {
    gateways.put(subtask, gateway);
    if (!changes.isEmpty()) {
      var unused = gateway.sendEvent(event()); // where that fails, Flink restarts the task
    }
  }

  @Override
  public synchronized void executionAttemptFailed(int subtask, int attempt, Throwable reason) {
    gateways.remove(subtask);
  }

  @Override
  public void subtaskReset(int subtask, long checkpointId) {
    // it is told all that changed when it is ready
  }

  @Override
  public void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {
    throw new IllegalStateException("the low level sends no events, found " + event);
  }

  /** {@code version u8 = 1 | position i64 | changes i32 | (name, version i64, text) …}. */
  @Override
  public synchronized void checkpointCoordinator(
      long checkpointId, CompletableFuture<byte[]> result) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(VERSION);
    out.writeLong(position);
    out.writeInt(changes.size());
    for (AnalysisChange change : changes.values()) {
      out.writeUTF(change.name());
      out.writeLong(change.version());
      byte[] text =
          change.text() == null ? new byte[0] : change.text().getBytes(StandardCharsets.UTF_8);
      out.writeInt(change.text() == null ? -1 : text.length);
      out.write(text);
    }
    result.complete(bytes.toByteArray());
  }

  @Override
  public synchronized void resetToCheckpoint(long checkpointId, byte[] state) throws IOException {
    if (state == null) {
      return;
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(state));
    int version = in.readUnsignedByte();
    if (version != VERSION) {
      throw new IOException(
          "state of the analyses: found version " + version + ", this reads version " + VERSION);
    }
    position = Math.max(position, in.readLong());
    for (int i = in.readInt(); i > 0; i--) {
      String name = in.readUTF();
      long of = in.readLong();
      int length = in.readInt();
      String text = length < 0 ? null : new String(in.readNBytes(length), StandardCharsets.UTF_8);
      note(new AnalysisChange(name, of, text));
    }
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    // nothing is kept for it
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    KafkaConsumer<byte[], byte[]> open = consumer;
    if (open != null) {
      open.wakeup();
    }
    if (thread != null) {
      thread.interrupt();
      thread.join(10_000);
    }
  }
}
