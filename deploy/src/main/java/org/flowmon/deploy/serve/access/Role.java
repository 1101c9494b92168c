package org.flowmon.deploy.serve.access;

import java.util.Locale;
import java.util.Optional;

/** What a caller may do; each role may also do what those before it may. */
public enum Role {
  /** Asks: queries, hosts, reports, alerts. */
  READ,
  /** Also resolves alerts, replays analyses and keeps shared views. */
  ANALYST,
  /** Also adds and removes analyses. */
  ADMIN;

  public boolean includes(Role other) {
    return compareTo(other) >= 0;
  }

  public static Optional<Role> byName(String name) {
    for (Role role : values()) {
      if (role.toString().equals(name)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
