package org.flowmon.deploy.kafka;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.text.ShownText;
import org.flowmon.jobs.quarantine.QuarantineMessage;
import org.flowmon.jobs.quarantine.Quarantined;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon quarantine}: lists messages of the topic of flows that jobs left out. */
@Command(
    name = "quarantine",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the messages that a job refused to take from its topic of flows, with the reason."
          + " They lie in topic flowmon.quarantine.",
      "Positions are TOPIC_ID:PARTITION@OFFSET; flows are those that a message's header says."
    },
    footer = {"", "Example:", "  flowmon quarantine --config flowmon.yaml --last 100"})
public final class QuarantineCommand implements Callable<Integer> {
  // A repeated message comes soon after the first.
  private static final int REMEMBERED = 100_000;
  private static final String LINE = "%-24s %-40s %-15s %10s %10s  %s%n";

  @Mixin private KafkaOptions kafka;

  @Option(
      names = "--last",
      paramLabel = "N",
      defaultValue = "20",
      description = "Shows the last N of them; default ${DEFAULT-VALUE}.")
  private int last;

  /** A message and when it came to the topic, ms since 1970. */
  private record Shown(long time, Quarantined message) {}

  @Override
  public Integer call() {
    if (last < 0) {
      throw new UsageException("--last is " + last + ": expected 0 messages or more");
    }
    Listing listing = new Listing();
    try (TopicReader reader = new TopicReader(kafka.answering())) {
      if (reader.choose(QuarantineMessage.TOPIC::equals).isEmpty()) {
        throw new CommandException(
            "no topic " + QuarantineMessage.TOPIC + ": no job was submitted that reads flows");
      }
      reader.readToEnd(listing::add);
    }
    listing.write();
    return ExitCodes.DONE;
  }

  /** Lists the topic's messages, each once. */
  private final class Listing {
    private final Deque<Shown> shown = new ArrayDeque<>();
    private final Set<String> positions = new LinkedHashSet<>();
    private long messages;
    private long flows;
    private long unreadable;

    void add(ConsumerRecord<byte[], byte[]> record) {
      Quarantined message = QuarantineMessage.read(record).orElse(null);
      if (message == null) {
        unreadable++;
      } else if (positions.add(message.position())) { // otherwise a restarted job repeated it
        messages++;
        flows += message.flows();
        if (positions.size() > REMEMBERED) {
          Iterator<String> oldest = positions.iterator();
          oldest.next();
          oldest.remove();
        }
        shown.add(new Shown(record.timestamp(), message));
        if (shown.size() > last) {
          shown.remove();
        }
      }
    }

    void write() {
      if (!shown.isEmpty()) {
        System.out.printf(LINE, "time", "position", "where", "flows", "bytes", "reason");
      }
      List<Shown> all = new ArrayList<>(shown);
      for (Shown one : all) {
        System.out.printf(
            LINE,
            Instant.ofEpochMilli(one.time()),
            ShownText.of(one.message().position()),
            ShownText.of(one.message().where()),
            one.message().flows(),
            one.message().length(),
            ShownText.of(one.message().reason()));
      }
      System.out.printf("%,d messages, %,d flows as their headers say%n", messages, flows);
      if (unreadable > 0) {
        System.err.printf(
            "%,d messages of the topic are not shown: they are none of version 1%n", unreadable);
      }
    }
  }
}
