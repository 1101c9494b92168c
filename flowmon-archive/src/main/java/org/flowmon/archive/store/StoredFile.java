package org.flowmon.archive.store;

/** A file, named relative to its store, last written at {@code modifiedMillis} since 1970 UTC. */
public record StoredFile(String name, long bytes, long modifiedMillis) {
  public String fileName() {
    return name.substring(name.lastIndexOf('/') + 1);
  }
}
