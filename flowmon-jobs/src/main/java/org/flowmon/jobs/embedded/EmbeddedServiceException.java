package org.flowmon.jobs.embedded;

/** An embedded service did not start or failed; the message names the service and its place. */
public final class EmbeddedServiceException extends RuntimeException {
  public EmbeddedServiceException(String message, Throwable cause) {
    super(message, cause);
  }
}
