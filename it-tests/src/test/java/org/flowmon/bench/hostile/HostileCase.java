package org.flowmon.bench.hostile;

import java.io.IOException;

/** An attack beside good traffic, which is sent once without it and once with it. */
interface HostileCase extends AutoCloseable {
  /** The name for {@code --case}. */
  String name();

  /** The content of the attack, in words. */
  String attack();

  /** Sends the good traffic alone. Called once, before {@link #with}. */
  Outcome without() throws IOException, InterruptedException;

  /**
   * Sends the good traffic with the attack; {@link Outcome#harms} lists the harm to the good
   * traffic.
   */
  Outcome with() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
