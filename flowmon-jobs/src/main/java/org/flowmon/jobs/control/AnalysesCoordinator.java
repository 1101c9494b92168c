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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
import org.flowmon.jobs.analysis.AnalysesBudget;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.lowlevel.AnalysesEvent;
import org.flowmon.jobs.topic.KafkaTopics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the {@link ControlTopic} from the JobManager and sends each change to every task of the
 * low level. Flink delivers events sent before a checkpoint to every task before its barrier, or
 * fails over: all tasks of a checkpoint run the same analyses.
 *
 * <p>A message without an analysis that the job can run is refused: the log and {@link
 * ControlStatus} say why, also of analyses of the state that this build cannot run. Metrics in
 * group {@code flowmon}: {@code analysis_changes}, {@code refused_analysis_changes}, {@code
 * follows_analyses} (1, or 0 if the topic cannot be read).
 */
public final class AnalysesCoordinator implements OperatorCoordinator {
  private static final Logger LOG = LoggerFactory.getLogger(AnalysesCoordinator.class);
  private static final int VERSION = 1;
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long PAUSE_MILLIS = 5_000;
  private static final long CLOSE_MILLIS = 10_000;

  private final Settings settings;
  private final Context context;
  private final Map<Integer, SubtaskGateway> gateways = new HashMap<>();
  private final AnalysisSet analyses;
  // Changes sent to the tasks; the thread that follows the topic writes them to the status, since
  // an unreachable broker would block Flink's.
  private final Queue<AnalysisChange> told = new ConcurrentLinkedQueue<>();
  private final AtomicLong applied = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final List<AnalysisChange> restored = new ArrayList<>(); // and not yet checked
  // Why the job cannot run the last change of a name, of its submission or its state.
  private final Map<AnalysisChange, String> unfit = new LinkedHashMap<>();
  private volatile boolean follows;
  private long position;
  private volatile boolean closed;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer; // null while there is none
  private @Nullable Thread thread; // null until the start

  /**
   * The coordinator's settings.
   *
   * @param analyses the job's, as the topic had them at submission, up to offset {@code position}
   * @param check why a change cannot be made, if so; creates what it needs. Retried after an
   *     exception of Kafka
   * @param refused changes of before the submission that the job cannot run, and why
   */
  public record Settings(
      JobConfig.Kafka kafka,
      AnalysisSet analyses,
      long position,
      AnalysesBudget budget,
      SerializableFunction<AnalysisChange, Optional<String>> check,
      Map<AnalysisChange, String> refused)
      implements Serializable {
    public Settings {
      refused = Map.copyOf(refused);
    }
  }

  /** Creates the coordinator in the JobManager. */
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
    analyses = new AnalysisSet(settings.analyses());
    position = settings.position();
    unfit.putAll(settings.refused());
    MetricGroup metrics = context.metricGroup().addGroup("flowmon");
    metrics.gauge("analysis_changes", applied::get);
    metrics.gauge("refused_analysis_changes", refused::get);
    metrics.gauge("follows_analyses", () -> follows ? 1 : 0);
  }

  @Override
  public void start() {
    Thread follower = new Thread(this::follow, "flowmon-analyses");
    follower.setDaemon(true);
    follower.setContextClassLoader(context.getUserCodeClassloader());
    follower.start();
    thread = follower;
  }

  private void follow() {
    while (!closed) {
      try (KafkaConsumer<byte[], byte[]> opened =
              KafkaTopics.consumer(settings.kafka().clientProperties());
          ControlStatus status = new ControlStatus(settings.kafka())) {
        consumer = opened;
        follow(opened, status);
      } catch (WakeupException e) {
        // closed
      } catch (OffsetOutOfRangeException e) {
        LOG.error(
            "topic {}: it was created again, or lost messages, since the checkpoint; changes of"
                + " analyses are not followed: start the job without that state",
            ControlTopic.name(settings.kafka()),
            e);
        return;
      } catch (KafkaException e) {
        LOG.warn(
            "topic {}: changes of analyses cannot be read, next attempt in {} s: {}",
            ControlTopic.name(settings.kafka()),
            PAUSE_MILLIS / 1000,
            e.toString());
        pause();
      } catch (RuntimeException | Error e) {
        context.failJob(e); // without this thread nobody follows the topic
        return;
      } finally {
        consumer = null;
        follows = false;
      }
    }
  }

  private void follow(KafkaConsumer<byte[], byte[]> opened, ControlStatus status) {
    TopicPartition partition =
        new TopicPartition(ControlTopic.name(settings.kafka()), ControlTopic.PARTITION);
    opened.assign(List.of(partition));
    opened.seek(partition, position());
    follows = true;
    checkRestored();
    unfit().forEach(status::refused);
    status.running(running());
    while (!closed) {
      for (ConsumerRecord<byte[], byte[]> record : opened.poll(POLL)) {
        take(record, status);
      }
      if (!told.isEmpty()) {
        status.running(running()); // first, so that readers of the accepted change find it there
      }
      for (AnalysisChange change = told.poll(); change != null; change = told.poll()) {
        status.taken(change);
      }
    }
  }

  /** Of another build's savepoint; tasks keep those that do not fit, which get no reports. */
  private void checkRestored() {
    List<AnalysisChange> changes;
    synchronized (this) {
      changes = List.copyOf(restored);
    }
    for (AnalysisChange change : changes) {
      settings.check().apply(change).ifPresent(error -> unfit(change, error));
      synchronized (this) {
        restored.remove(change);
      }
    }
  }

  private synchronized void unfit(AnalysisChange change, String error) {
    if (analyses.version(change.name()) <= change.version()) {
      LOG.error(
          "analysis {}: its definition in the state is not valid any more, and it gives no reports:"
              + " {}",
          change.name(),
          error);
      unfit.put(change, error);
    }
  }

  private synchronized Map<AnalysisChange, String> unfit() {
    return Map.copyOf(unfit);
  }

  private synchronized RunningAnalyses running() {
    // a change's version is its offset + 1
    return RunningAnalyses.of(analyses, position, unfit.keySet());
  }

  private synchronized long position() {
    return position;
  }

  private void pause() {
    try {
      var unused = closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> record, ControlStatus status) {
    if (!ControlTopic.isMessage(record)) {
      synchronized (this) {
        position = record.offset() + 1;
      }
      refused(record.topic(), "the message at offset " + record.offset() + " is not an analysis");
      return;
    }
    AnalysisChange change = ControlTopic.change(record);
    Optional<String> error = settings.check().apply(change);
    synchronized (this) {
      error = error.isPresent() ? error : apply(change);
      position = record.offset() + 1;
    }
    if (error.isPresent()) {
      refused(record.topic(), error.get());
      status.refused(change, error.get());
    }
  }

  private void refused(String topic, String error) {
    refused.incrementAndGet();
    LOG.error("topic {}: a change is refused: {}", topic, error);
  }

  /** Applies a change and sends it to all running tasks; returns why not, if so. */
  private Optional<String> apply(AnalysisChange change) {
    if (change.text() == null && analyses.get(change.name()) == null) {
      return Optional.of("there is no analysis " + change.name() + " to be removed");
    }
    if (change.version() > analyses.version(change.name())) {
      Optional<String> error = settings.budget().refusal(analyses, change);
      if (error.isPresent()) {
        return error;
      }
    }
    try {
      if (!analyses.apply(change)) {
        return Optional.empty(); // known from the checkpoint
      }
    } catch (ConfigException e) {
      return Optional.of(e.getMessage());
    }
    applied.incrementAndGet();
    unfit.keySet().removeIf(one -> one.name().equals(change.name()));
    LOG.info(
        "analysis {}: {}, version {}",
        change.name(),
        change.text() == null ? "removed" : "defined",
        change.version());
    List<CompletableFuture<?>> sent = new ArrayList<>();
    AnalysesEvent event = new AnalysesEvent(List.of(change));
    gateways.values().forEach(gateway -> sent.add(gateway.sendEvent(event)));
    // also if some tasks missed it: they are restarted and get it then
    var unused =
        CompletableFuture.allOf(sent.toArray(new CompletableFuture<?>[0]))
            .whenComplete((done, failure) -> told.add(change));
    return Optional.empty();
  }

  @Override
  public synchronized void executionAttemptReady(int subtask, int attempt, SubtaskGateway gateway) {
    gateways.put(subtask, gateway);
    List<AnalysisChange> changes = analyses.changes();
    if (!changes.isEmpty()) {
      // if that fails, Flink restarts the task
      var unused = gateway.sendEvent(new AnalysesEvent(changes));
    }
  }

  @Override
  public synchronized void executionAttemptFailed(int subtask, int attempt, Throwable reason) {
    gateways.remove(subtask);
  }

  @Override
  public void subtaskReset(int subtask, long checkpointId) {
    // it gets all changes when it is ready
  }

  @Override
  public void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {
    throw new IllegalStateException("the low level sends no events, found " + event);
  }

  /** Writes {@code version u8 = 1 | position i64 | changes i32 | (name, version i64, text) …}. */
  @Override
  public synchronized void checkpointCoordinator(
      long checkpointId, CompletableFuture<byte[]> result) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(VERSION);
    out.writeLong(position);
    List<AnalysisChange> changes = analyses.changes();
    out.writeInt(changes.size());
    for (AnalysisChange change : changes) {
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
  public synchronized void resetToCheckpoint(long checkpointId, byte @Nullable [] state)
      throws IOException {
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
      AnalysisChange change = new AnalysisChange(name, of, text);
      try {
        if (analyses.apply(change)) {
          restored.add(change);
        }
      } catch (ConfigException e) {
        unfit(change, String.valueOf(e.getMessage())); // the rules have changed since it came
      }
    }
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    // it keeps no state of it
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    closing.countDown();
    KafkaConsumer<byte[], byte[]> open = consumer;
    if (open != null) {
      open.wakeup();
    }
    if (thread != null) {
      // Kafka's clients close without errors in the log if they are not interrupted.
      thread.join(CLOSE_MILLIS);
      thread.interrupt();
    }
  }
}
