package org.flowmon.deploy.serve.access;

/** Who asks: a token's name, and its role. */
public record Caller(String name, Role role) {
  /** Who asks a server on loopback that has no tokens. */
  public static final Caller LOCAL = new Caller("local", Role.ADMIN);

  public static final Caller NOBODY = new Caller("", Role.READ);

  /** Whether it may be told more than strangers. */
  public boolean isKnown() {
    return !equals(NOBODY);
  }
}
