package org.flowmon.archive.store;

/**
 * A file of a store.
 *
 * @param name relative to the store
 * @param modifiedMillis when it was last written, in milliseconds since 1970-01-01T00:00:00Z
 */
public record StoredFile(String name, long bytes, long modifiedMillis) {
  /** The name within its folder. */
  public String fileName() {
    return name.substring(name.lastIndexOf('/') + 1);
  }
}
