package org.flowmon.deploy.demo.feed;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The sending thread of a feed, and its outcome. */
final class FeedThread {
  /** The work of the thread. */
  interface Work {
    void run() throws IOException;
  }

  private final Thread thread;
  private volatile @Nullable Throwable failure;

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
   * Throws {@link IOException} if the work threw it; a defect or an error of the JVM is rethrown
   * unchanged.
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
