package org.flowmon.deploy.demo.feed;

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
   * @throws IOException as it failed: so do a defect and an error of the JVM, which are told of as
   *     what they are
   */
  void await() throws IOException, InterruptedException {
    thread.join();
    if (failure instanceof IOException e) {
      throw e;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }
}
