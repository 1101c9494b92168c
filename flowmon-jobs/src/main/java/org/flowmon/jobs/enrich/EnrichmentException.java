package org.flowmon.jobs.enrich;

/** A file that cannot be used; the message says why and, of text, in which line. */
public final class EnrichmentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EnrichmentException(String message) {
    super(message);
  }
}
