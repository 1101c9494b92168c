package org.flowmon.jobs.config;

/**
 * A configuration file that cannot be used. The message names file, line, key, and what was
 * expected.
 */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String message, Throwable cause) {
    super(message, cause);
  }
}
