package org.flowmon.archive.lease;

import java.nio.file.Path;
import java.util.UUID;

/**
 * The name of a lease's file: {@code <UUID>.<kernel>.lease}, or {@code <UUID>.lease}, with an empty
 * kernel, if made by a version that does not record owned segments.
 */
record LeaseName(String kernel) {
  static final String SUFFIX = ".lease";

  static String ofNew() {
    return UUID.randomUUID() + "." + Kernel.NAME + SUFFIX;
  }

  static LeaseName of(Path file) {
    String name = file.getFileName().toString();
    String[] parts = name.substring(0, name.length() - SUFFIX.length()).split("\\.", 2);
    return new LeaseName(parts.length < 2 ? "" : parts[1]);
  }

  /** Whether its content lists the owned segments. */
  boolean saysOwned() {
    return !kernel.isEmpty();
  }

  /** Whether its process may run on another host, whose locks cannot be seen for sure. */
  boolean isForeign() {
    return saysOwned() && !kernel.equals(Kernel.NAME);
  }
}
