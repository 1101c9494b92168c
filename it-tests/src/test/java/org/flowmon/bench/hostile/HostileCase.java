package org.flowmon.bench.hostile;

import java.io.IOException;

/** An attack beside good traffic, which is sent once without it and once with it. */
interface HostileCase extends AutoCloseable {
  /** As {@code --case} has it. */
  String name();

  /** What the attack sends, in words. */
  String attack();

  /** Sends the good traffic alone. Called once, before {@link #with}. */
  Outcome without() throws IOException, InterruptedException;

  /**
   * Sends the same with the attack; {@link Outcome#harms} says what of the good traffic suffered.
   */
  Outcome with() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
