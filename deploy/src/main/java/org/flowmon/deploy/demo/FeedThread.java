package org.flowmon.deploy.demo;

import java.io.IOException;

/** The thread of a feed that sends, and what became of it. */
final class FeedThread {
  /** What the thread does. */
  interface Work {
    void run() throws IOException;
  }

  private final Thread thread;
  private volatile Throwable failure;

  FeedThread(String name, Work work) {
    thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | RuntimeException | Error e) {
                failure = e;
              }
            },
            name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  boolean isRunning() {
    return thread.isAlive();
  }

  /**
   * Waits for its end.
   *
   * @throws IOException where it failed
   */
  void await() throws IOException, InterruptedException {
    thread.join();
    if (failure != null) {
      throw new IOException(thread.getName() + " failed: " + failure.getMessage(), failure);
    }
  }
}
