package org.flowmon.deploy.embedded;

/**
 * An embedded service did not start or did not do what was asked; the message says which and where.
 */
public final class EmbeddedServiceException extends RuntimeException {
  EmbeddedServiceException(String message, Throwable cause) {
    super(message, cause);
  }
}
