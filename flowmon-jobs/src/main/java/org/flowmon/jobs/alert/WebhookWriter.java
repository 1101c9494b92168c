package org.flowmon.jobs.alert;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.alert.WebhookAlerts.Waiting;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.config.job.WebhookConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each webhook its alerts. The end of input waits up to {@link #LAST_WAIT_MILLIS} for them.
 * Metrics in group {@code flowmon}: {@code unknown_webhook}, and those of {@link WebhookQueue}.
 */
final class WebhookWriter implements StatefulSinkWriter<Alert, Waiting> {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookWriter.class);
  private static final long LAST_WAIT_MILLIS = 30_000;

  private final Map<String, WebhookQueue> queues = new LinkedHashMap<>();
  private final Counter unknown;

  WebhookWriter(List<WebhookConfig> webhooks, Collection<Waiting> waiting, MetricGroup metrics)
      throws IOException {
    unknown = metrics.counter("unknown_webhook");
    for (WebhookConfig webhook : webhooks) {
      MetricGroup group = metrics.addGroup("webhook", webhook.name());
      queues.put(webhook.name(), new WebhookQueue(webhook, group));
    }
    waiting.forEach(one -> add(one.webhook(), one.alert()));
    queues.values().forEach(WebhookQueue::start);
  }

  @Override
  public void write(Alert alert, Context context) {
    for (String sink : alert.sinks()) {
      if (!sink.equals(AlertConfig.KAFKA)) {
        add(sink, alert);
      }
    }
  }

  private void add(String webhook, Alert alert) {
    WebhookQueue queue = queues.get(webhook);
    if (queue == null) {
      unknown.inc();
      LOG.error(
          "alert {}: webhook {} is not configured; the message is not sent there",
          alert.id(),
          webhook);
    } else {
      queue.add(alert);
    }
  }

  @Override
  public void flush(boolean endOfInput) throws InterruptedException {
    if (endOfInput) {
      long limit = System.nanoTime() + LAST_WAIT_MILLIS * 1_000_000;
      for (WebhookQueue queue : queues.values()) {
        queue.awaitEmpty(limit);
      }
    }
  }

  @Override
  public List<Waiting> snapshotState(long checkpointId) {
    List<Waiting> waiting = new ArrayList<>();
    queues.forEach(
        (name, queue) -> queue.waiting().forEach(alert -> waiting.add(new Waiting(name, alert))));
    return waiting;
  }

  @Override
  public void close() throws InterruptedException {
    for (WebhookQueue queue : queues.values()) {
      queue.close();
    }
  }
}
