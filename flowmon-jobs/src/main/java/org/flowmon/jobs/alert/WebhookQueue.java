package org.flowmon.jobs.alert;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.flowmon.jobs.config.job.WebhookConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waiting alerts of one webhook, and the thread that sends them one at a time, in order.
 * Metrics, by webhook: {@code delivered_alerts}, {@code retries}, {@code refused_alerts}, {@code
 * given_up_alerts}, {@code failed_alerts} (not postable), {@code dropped_alerts} (queue full),
 * {@code waiting_alerts}.
 */
final class WebhookQueue {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookQueue.class);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;

  private final WebhookConfig config;
  private final WebhookClient client;
  private final Thread thread;
  private final Counter delivered = new ThreadSafeSimpleCounter();
  private final Counter retries = new ThreadSafeSimpleCounter();
  private final Counter refused = new ThreadSafeSimpleCounter();
  private final Counter givenUp = new ThreadSafeSimpleCounter();
  private final Counter failed = new ThreadSafeSimpleCounter();
  private final Counter dropped = new ThreadSafeSimpleCounter();

  // Guarded by this.
  private final Deque<Entry> queue = new ArrayDeque<>();
  private Optional<Entry> current = Optional.empty(); // being sent
  private boolean closed;

  private record Entry(Alert alert, long since) {}

  /** Creates an empty queue, not started; fails if the file of headers cannot be read. */
  WebhookQueue(WebhookConfig config, MetricGroup metrics) throws IOException {
    this.config = config;
    this.client = new WebhookClient(config);
    this.thread = new Thread(this::run, "webhook-" + config.name());
    this.thread.setDaemon(true);
    metrics.counter("delivered_alerts", delivered);
    metrics.counter("retries", retries);
    metrics.counter("refused_alerts", refused);
    metrics.counter("given_up_alerts", givenUp);
    metrics.counter("failed_alerts", failed);
    metrics.counter("dropped_alerts", dropped);
    metrics.gauge("waiting_alerts", (Gauge<Integer>) () -> waiting().size());
  }

  void start() {
    thread.start();
  }

  synchronized void add(Alert alert) {
    if (queue.size() >= config.queue()) {
      lost(queue.remove().alert(), dropped, "its queue was full");
    }
    queue.add(new Entry(alert, System.nanoTime()));
    notifyAll();
  }

  synchronized List<Alert> waiting() {
    List<Alert> waiting = new ArrayList<>();
    current.ifPresent(entry -> waiting.add(entry.alert()));
    queue.forEach(entry -> waiting.add(entry.alert()));
    return waiting;
  }

  /** Waits until all are delivered or dropped, at most until a {@link System#nanoTime}. */
  synchronized void awaitEmpty(long limit) throws InterruptedException {
    while (current.isPresent() || !queue.isEmpty()) {
      long millis = (limit - System.nanoTime()) / 1_000_000;
      if (millis <= 0) {
        LOG.warn(
            "webhook {}: {} alerts are still waiting at the end of input",
            config.name(),
            waiting().size());
        return;
      }
      wait(millis);
    }
  }

  /** The next entry; empty when the queue is closed. */
  private synchronized Optional<Entry> take() throws InterruptedException {
    current = Optional.empty();
    notifyAll();
    while (queue.isEmpty() && !closed) {
      wait();
    }
    current = closed ? Optional.empty() : Optional.of(queue.remove());
    return current;
  }

  private void run() {
    try {
      for (Optional<Entry> next = take(); next.isPresent(); next = take()) {
        sendOrLose(next.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** Drops an alert that throws: the thread must go on with the next ones. */
  private void sendOrLose(Entry entry) throws InterruptedException {
    try {
      send(entry);
    } catch (RuntimeException e) {
      lost(entry.alert(), failed, "of " + e);
      LOG.debug("webhook {}: where it failed", config.name(), e);
    }
  }

  private void send(Entry entry) throws InterruptedException {
    long pause = FIRST_PAUSE_MILLIS;
    while (true) {
      WebhookClient.Answer answer = client.post(entry.alert());
      if (answer.isTaken()) {
        delivered.inc();
        return;
      }
      if (!answer.isWorthARetry()) {
        lost(entry.alert(), refused, answer.what());
        return;
      }
      if (System.nanoTime() - entry.since() >= config.giveUp().toNanos()) {
        lost(entry.alert(), givenUp, "was tried for " + config.giveUp() + ": " + answer.what());
        return;
      }
      retries.inc();
      if (pause == FIRST_PAUSE_MILLIS) {
        LOG.warn(
            "webhook {}: alert {} was not taken ({}); it is sent again for {}",
            config.name(),
            entry.alert().id(),
            answer.what(),
            config.giveUp());
      }
      Thread.sleep(pause);
      pause = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
    }
  }

  private void lost(Alert alert, Counter counter, String why) {
    counter.inc();
    LOG.error(
        "webhook {}: message {} of alert {} ({} of analysis {}) is dropped: {}",
        config.name(),
        alert.number(),
        alert.id(),
        alert.rule(),
        alert.analysis(),
        why);
  }

  void close() throws InterruptedException {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    thread.interrupt();
    thread.join(5_000);
  }
}
