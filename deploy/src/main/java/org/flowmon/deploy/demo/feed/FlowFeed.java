package org.flowmon.deploy.demo.feed;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The source of the demo's flows, and their way into Kafka. */
public interface FlowFeed extends AutoCloseable {
  /** Tells people where they can send, too, if anywhere. */
  void tellWhereItListens(PrintStream out) throws IOException;

  /** Starts sending; returns at once. */
  void start();

  boolean isSending();

  /** Flows sent so far, counted by the sender. */
  long sent();

  /** Flows dropped so far by reason, counted at the drop; without zeros. */
  Map<String, Long> dropped();

  /** Flows that the feed took from others. */
  long others();

  /** Undecodable parts of all datagrams so far, by the counter's label; without zeros. */
  Map<String, Long> notUnderstood();

  /** Files that were not taken wholly so far. */
  List<InputFaults.LeftOut> leftOut();

  Set<Long> producerIds();

  /**
   * Waits until all sent flows are in Kafka or dropped, and sends the last heartbeats.
   *
   * @throws IOException if sending or reading failed
   */
  void finish() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
