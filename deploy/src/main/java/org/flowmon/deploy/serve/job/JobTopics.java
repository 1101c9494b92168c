package org.flowmon.deploy.serve.job;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.kafka.TopicReader;
import org.flowmon.deploy.report.AlertStates;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.jobs.report.json.ReportWindows;
import org.flowmon.jobs.sink.kafka.KafkaReports;
import org.jspecify.annotations.Nullable;

/**
 * The last reports and alerts of a job, read from its topics as they come. Of each analysis the
 * windows that end last are kept, fewer if they take more than {@link
 * HeapBudget.Part#SERVED_REPORTS}.
 */
final class JobTopics implements ReportStore {
  private static final int MOST_WINDOWS = 1000;
  private static final int MOST_ALERTS = 20_000;
  private static final int CUT = 2000; // messages
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration LOOK = Duration.ofSeconds(5);

  private final Map<String, Object> properties;
  private final Thread thread = new Thread(this::run, "serve-reports");
  private final ReportWindows windows = new ReportWindows(0);
  private final AlertStates alerts = new AlertStates();
  private ServedJob.State state = new ServedJob.State("waiting", "the topics are read");
  private int most = MOST_WINDOWS;
  private long messages;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable TopicReader current;

  /** Of Kafka's clients, with the bootstrap servers. */
  JobTopics(Map<String, Object> properties) {
    this.properties = properties;
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    while (!isClosed()) {
      try (TopicReader reader = new TopicReader(properties)) {
        current = reader;
        reader.choose(JobTopics::isOne);
        reader.readToEnd(this::add);
        is("ok", Optional.empty());
        long look = System.nanoTime() + LOOK.toNanos();
        while (!isClosed()) {
          reader.poll(POLL, this::add);
          if (System.nanoTime() > look) {
            reader.choose(JobTopics::isOne);
            look = System.nanoTime() + LOOK.toNanos();
          }
        }
      } catch (CommandException e) {
        is("failed", Optional.of(String.valueOf(e.getMessage())));
        pause();
      } catch (RuntimeException e) {
        is("failed", Optional.of(e.toString()));
        pause();
      }
    }
  }

  private static boolean isOne(String topic) {
    return topic.startsWith(KafkaReports.TOPIC_PREFIX) || topic.equals(KafkaReports.ALERTS_TOPIC);
  }

  private void pause() {
    try {
      var unused = closed.await(LOOK.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      closed.countDown();
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private synchronized void is(String status, Optional<String> detail) {
    state = new ServedJob.State(status, detail.orElse(null));
  }

  @Override
  public String name() {
    return "reports";
  }

  @Override
  public synchronized ServedJob.State state() {
    return state;
  }

  private synchronized void add(ConsumerRecord<byte[], byte[]> record) {
    if (record.topic().equals(KafkaReports.ALERTS_TOPIC)) {
      alerts.add(record);
    } else if (record.value() != null) {
      try {
        var unused = windows.add(ReportRow.parse(record.value()), record.value());
      } catch (IOException e) {
        return; // no report of a known version
      }
    }
    if (++messages % CUT == 0) {
      cut();
    }
  }

  private void cut() {
    alerts.keepLast(MOST_ALERTS);
    boolean unused = windows.keepLast(most);
    while (bytes() > HeapBudget.Part.SERVED_REPORTS.bytes() && most > 1) {
      most /= 2;
      unused = windows.keepLast(most);
    }
  }

  private long bytes() {
    long bytes = 0;
    for (ReportWindows.Window window : windows.waiting()) {
      for (byte[] message : window.messages()) {
        bytes += message.length;
      }
    }
    return bytes;
  }

  /** Throws a {@link Problem} if the topics could not be read yet, or any more. */
  void requireRead() {
    ServedJob.State now = state();
    if (!now.status().equals("ok")) {
      throw Problem.later(Problem.Code.UNAVAILABLE, String.valueOf(now.detail()), 2);
    }
  }

  @Override
  public Found reports(Asked asked, int least, int most) {
    requireRead();
    return new Found(
        kept(asked).stream().sorted(ReportsEndpoint.ORDER).limit(most).toList(), false);
  }

  private synchronized List<Kept> kept(Asked asked) {
    List<Kept> kept = new ArrayList<>();
    for (ReportWindows.Window window : windows.waiting()) {
      if (asked.holds(window.analysis(), window.end(), window.rows())) {
        kept.add(
            new Kept(
                window.analysis(),
                window.start(),
                window.end(),
                window.revision(),
                window.isUpdated(),
                window.isComplete(),
                window.rows(),
                List.copyOf(window.messages())));
      }
    }
    return kept;
  }

  /** The last message of each, those that began first first. */
  synchronized List<AlertStates.Message> alerts() {
    return alerts.alerts();
  }

  @Override
  public void close() {
    closed.countDown();
    TopicReader open = current;
    if (open != null) {
      open.wakeUp(); // an interrupted client of Kafka's would log a trace
    }
  }
}
