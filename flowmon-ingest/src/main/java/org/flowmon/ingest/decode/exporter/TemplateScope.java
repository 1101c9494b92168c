package org.flowmon.ingest.decode.exporter;

import java.util.Locale;

/** Whose templates the data of an exporter's observation domain may use. */
public enum TemplateScope {
  /** In IPFIX those of its own port (RFC 7011 section 8); in v9, without sessions, of any port. */
  SESSION,
  /** Its own port's first, then those of any port of the address. */
  ADDRESS;

  /** The name in options, for example {@code session}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
