package org.flowmon.deploy.export.sql;

/** How times and addresses become values of a database. */
public enum SqlTypes {
  /** The database's own types. */
  NATIVE,
  /** Times as ISO 8601 with six digits of a second, so that they sort; addresses as text. */
  TEXT,
  /**
   * Times as microseconds since 1970, addresses as numbers: IPv4 as one of 32 bits, IPv6 as one of
   * 128.
   */
  INTEGER
}
