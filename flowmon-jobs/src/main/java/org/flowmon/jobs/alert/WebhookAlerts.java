package org.flowmon.jobs.alert;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.jobs.config.job.WebhookConfig;

/**
 * Posts alerts to the webhooks that their rules name: one request per message, in order for each
 * webhook, at least once. Waiting alerts are part of a checkpoint, so an unreachable webhook holds
 * up neither stream nor checkpoint. It is retried with growing pauses. Alerts not delivered within
 * {@code give_up}, refused, or above {@code queue} are dropped, counted and logged by id.
 */
final class WebhookAlerts
    implements Sink<Alert>, SupportsWriterState<Alert, WebhookAlerts.Waiting> {
  private static final long serialVersionUID = 1L;

  private final List<WebhookConfig> webhooks;

  WebhookAlerts(List<WebhookConfig> webhooks) {
    this.webhooks = List.copyOf(webhooks);
  }

  /** An alert that is not delivered yet. */
  record Waiting(String webhook, Alert alert) {}

  @Override
  public StatefulSinkWriter<Alert, Waiting> createWriter(WriterInitContext context)
      throws IOException {
    return restoreWriter(context, List.of());
  }

  @Override
  public StatefulSinkWriter<Alert, Waiting> restoreWriter(
      WriterInitContext context, Collection<Waiting> waiting) throws IOException {
    return new WebhookWriter(webhooks, waiting, context.metricGroup().addGroup("flowmon"));
  }

  @Override
  public SimpleVersionedSerializer<Waiting> getWriterStateSerializer() {
    return new WaitingSerializer();
  }

  /** Version 1: name of the webhook (modified UTF-8), then as {@link AlertSerializer} writes it. */
  static final class WaitingSerializer implements SimpleVersionedSerializer<Waiting> {
    private static final AlertSerializer ALERTS = new AlertSerializer();

    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Waiting waiting) throws IOException {
      DataOutputSerializer target = new DataOutputSerializer(512);
      target.writeUTF(waiting.webhook());
      ALERTS.serialize(waiting.alert(), target);
      return target.getCopyOfBuffer();
    }

    @Override
    public Waiting deserialize(int version, byte[] bytes) throws IOException {
      if (version != 1) {
        throw new IOException("a waiting alert of version " + version + ", this reads version 1");
      }
      DataInputDeserializer source = new DataInputDeserializer(bytes);
      return new Waiting(source.readUTF(), ALERTS.deserialize(source));
    }
  }
}
