package org.flowmon.jobs.config;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A configuration file is invalid. The message names file, line, key and the expected value. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage(), "an error says what it is");
  }
}
