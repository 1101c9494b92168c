package org.flowmon.jobs.embedded;

/**
 * Signals that an embedded service did not start or failed; the message names the service and its
 * place.
 */
public final class EmbeddedServiceException extends RuntimeException {
  public EmbeddedServiceException(String message, Throwable cause) {
    super(message, cause);
  }
}
