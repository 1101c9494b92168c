package org.flowmon.jobs.config;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Handles errors of a file: throws the first one, or collects all. */
@FunctionalInterface
public interface ErrorHandler {
  ErrorHandler THROWN =
      error -> {
        throw error;
      };

  void add(ConfigException error);

  /** Returns a part of a file; null if it is wrong. */
  default <T> @Nullable T of(Supplier<@Nullable T> part) {
    try {
      return part.get();
    } catch (ConfigException e) {
      add(e);
      return null;
    }
  }

  default <T> T of(Supplier<T> part, T otherwise) {
    try {
      return part.get();
    } catch (ConfigException e) {
      add(e);
      return otherwise;
    }
  }

  /** Checks a part of a file and returns whether it is right. */
  default boolean run(Runnable check) {
    return of(
        () -> {
          check.run();
          return true;
        },
        false);
  }

  /** Passes errors on and remembers whether there was one. */
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
