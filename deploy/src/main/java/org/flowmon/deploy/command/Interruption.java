package org.flowmon.deploy.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command end in order when the process is told to end (Ctrl-C, SIGTERM): the process waits
 * until the command has closed this. The exit code is 128 + the signal's number in any case.
 *
 * <pre>{@code
 * try (Interruption interruption = Interruption.watch()) {
 *   while (more()) {
 *     interruption.check();
 *     ...
 *   }
 * }
 * }</pre>
 */
public final class Interruption implements AutoCloseable {
  private static final long MINUTES = 1;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook = new Thread(this::stop, "stop");
  private volatile boolean stopped;
  private volatile Runnable onStop = () -> {};

  private Interruption() {}

  public static Interruption watch() {
    Interruption interruption = new Interruption();
    try {
      Runtime.getRuntime().addShutdownHook(interruption.hook);
    } catch (IllegalStateException e) {
      StopNotice.await();
      interruption.stopped = true; // told to end before the command began
    }
    return interruption;
  }

  private void stop() {
    StopNotice.await();
    stopped = true;
    onStop.run();
    try {
      if (!ended.await(MINUTES, TimeUnit.MINUTES)) {
        System.err.println("the command did not end in time; what it wrote belongs to no archive");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public boolean isStopped() {
    return stopped;
  }

  /** Throws {@link InterruptedCommandException} if the process is told to end. */
  public void check() {
    if (stopped) {
      throw new InterruptedCommandException();
    }
  }

  /**
   * Sets an action for when the process is told to end, at once if it was: to end a wait between
   * two checks. It runs on another thread, may run twice, and throws nothing.
   */
  public void onStop(Runnable action) {
    onStop = action;
    if (stopped) {
      action.run();
    }
  }

  @Override
  public void close() {
    ended.countDown();
    if (!stopped) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        stopped = true; // told to end just now: nothing is left to wait for
      }
    }
  }
}
