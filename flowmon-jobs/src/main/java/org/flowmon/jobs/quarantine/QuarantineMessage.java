package org.flowmon.jobs.quarantine;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** A refused message's bytes, the rest in UTF-8 headers: {@code docs/format/kafka.md}. */
public final class QuarantineMessage {
  public static final String TOPIC = "flowmon.quarantine";

  private static final String VERSION = "1";

  private QuarantineMessage() {}

  public static ProducerRecord<byte[], byte[]> of(Quarantined refused) {
    List<Header> headers =
        List.of(
            header("version", VERSION),
            header("where", refused.where()),
            header("reason", refused.reason()),
            header("flows", Long.toString(refused.flows())),
            header("length", Integer.toString(refused.length())));
    byte[] key = refused.position().getBytes(StandardCharsets.UTF_8);
    return new ProducerRecord<>(TOPIC, null, null, key, refused.bytes(), headers);
  }

  private static Header header(String name, String text) {
    return new RecordHeader(name, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the refused message; empty if this is none of version 1. */
  public static Optional<Quarantined> read(ConsumerRecord<byte[], byte[]> message) {
    String position = text(message.key());
    int at = position.lastIndexOf('@');
    if (!text(message, "version").equals(VERSION) || at < 0 || message.value() == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Quarantined(
              position.substring(0, at),
              Long.parseLong(position.substring(at + 1)),
              text(message, "where"),
              text(message, "reason"),
              Long.parseLong(text(message, "flows")),
              Integer.parseInt(text(message, "length")),
              message.value()));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static String text(ConsumerRecord<byte[], byte[]> message, String name) {
    Header header = message.headers().lastHeader(name);
    return text(header == null ? null : header.value());
  }

  private static String text(byte @Nullable [] utf8) {
    return utf8 == null ? "" : new String(utf8, StandardCharsets.UTF_8);
  }
}
