package org.flowmon.deploy.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The line that a process prints when a signal comes. The JVM starts all shutdown hooks at once, so
 * a hook that prints must wait for this line first.
 */
public final class StopNotice {
  private static final long SECONDS = 2;
  // Of the notice that was installed last; none has to be waited for before.
  private static volatile CountDownLatch lastSaid = new CountDownLatch(0);

  private final CountDownLatch said = new CountDownLatch(1);
  private final Thread hook;

  private StopNotice(String name, BooleanSupplier isEnding) {
    hook =
        new Thread(
            () -> {
              try {
                if (!isEnding.getAsBoolean()) {
                  System.err.println(name + ": stopping, as a signal asks");
                }
              } finally {
                said.countDown();
              }
            },
            "told");
  }

  /** Prints the line when told to end, unless {@code isEnding}: the process ends by itself. */
  public static StopNotice install(String name, BooleanSupplier isEnding) {
    StopNotice notice = new StopNotice(name, isEnding);
    Runtime.getRuntime().addShutdownHook(notice.hook);
    lastSaid = notice.said;
    return notice;
  }

  /** Removes the notice; false if the process is told to end already. */
  public boolean remove() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** Waits for the line in a process told to end; not for long, in case nobody reads it. */
  public static void await() {
    try {
      boolean unused = lastSaid.await(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
