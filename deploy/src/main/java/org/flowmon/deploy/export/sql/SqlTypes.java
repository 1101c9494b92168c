package org.flowmon.deploy.export.sql;

/** The representation of times and addresses in a database. */
public enum SqlTypes {
  NATIVE,
  /** Times as ISO 8601 with six digits of a second, so that they sort; addresses as text. */
  TEXT,
  /** Times as microseconds since 1970, addresses as numbers: IPv4 of 32 bits, IPv6 of 128 bits. */
  INTEGER
}
