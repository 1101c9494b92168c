package org.flowmon.archive.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logger of a class, made when something is logged: setting up a logging library takes longer
 * than a short query, which logs nothing. May be used by several threads.
 */
public final class LazyLogger {
  private final Class<?> owner;
  private @Nullable volatile Logger logger;

  public LazyLogger(Class<?> owner) {
    this.owner = owner;
  }

  public Logger get() {
    Logger made = logger;
    if (made == null) {
      made = LoggerFactory.getLogger(owner);
      logger = made; // again the same, if two threads ask at once
    }
    return made;
  }
}
