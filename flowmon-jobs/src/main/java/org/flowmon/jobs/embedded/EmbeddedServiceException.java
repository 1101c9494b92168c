package org.flowmon.jobs.embedded;

import org.jspecify.annotations.Nullable;

/** An embedded service did not start or failed; the message names the service and its place. */
public final class EmbeddedServiceException extends RuntimeException {
  public EmbeddedServiceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
