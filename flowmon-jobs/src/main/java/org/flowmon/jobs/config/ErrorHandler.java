package org.flowmon.jobs.config;

import java.util.function.Supplier;

/** What is done with errors of a file: the first one is thrown, or all are taken. */
@FunctionalInterface
public interface ErrorHandler {
  /** Throws the first. */
  ErrorHandler THROWN =
      error -> {
        throw error;
      };

  /** Takes an error, or throws it. */
  void add(ConfigException error);

  /** What a part of a file says; null where it is wrong. */
  default <T> T of(Supplier<T> part) {
    return of(part, null);
  }

  /** What a part of a file says, or something else where it is wrong. */
  default <T> T of(Supplier<T> part, T otherwise) {
    try {
      return part.get();
    } catch (ConfigException e) {
      add(e);
      return otherwise;
    }
  }

  /** Checks a part of a file; whether it is right. */
  default boolean run(Runnable check) {
    return of(
        () -> {
          check.run();
          return true;
        },
        false);
  }

  /** Gives errors on to others, and knows whether there was one. */
  final class Noted implements ErrorHandler {
    private final ErrorHandler to;
    private boolean any;

    public Noted(ErrorHandler to) {
      this.to = to;
    }

    @Override
    public void add(ConfigException error) {
      any = true;
      to.add(error);
    }

    public boolean any() {
      return any;
    }
  }
}
