package org.flowmon.deploy.demo.feed;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where the demo's flows come from, and their way into Kafka. */
public interface FlowFeed extends AutoCloseable {
  /** Tells people where they can send something too, if anywhere. */
  void tellWhereItListens(PrintStream out) throws IOException;

  /** Begins to send; returns at once. */
  void start();

  /** Whether more is to be sent. */
  boolean isSending();

  /** Flows sent so far, counted by the sender. */
  long sent();

  /**
   * Flows dropped so far by reason, counted where they were dropped; without reasons that are 0.
   */
  Map<String, Long> dropped();

  /** Flows that others sent to where this feed listens, and that it took. */
  long others();

  /**
   * What in the datagrams that came could not be understood so far, whoever sent them, by the label
   * of the counter; without those that are 0.
   */
  Map<String, Long> notUnderstood();

  /** Files that were not taken, or not wholly, so far. */
  List<InputFaults.LeftOut> leftOut();

  /** The ids by which its messages in Kafka are told from those of others. */
  Set<Long> producerIds();

  /** Ends sending; returns when nothing more will be sent. */
  void stop() throws InterruptedException;

  /**
   * Waits until everything sent has reached Kafka or was dropped, and sends the last heartbeats.
   *
   * @throws IOException where sending or reading had failed
   */
  void finish() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
