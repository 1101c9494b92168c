package org.flowmon.archive.store;

import java.io.IOException;
import java.net.URI;
import java.util.Map;

/** Opens stores of some URL schemes; found by {@link java.util.ServiceLoader}. */
public interface ArchiveStoreProvider {
  /** Whether it opens URLs of this scheme. */
  boolean opens(String scheme);

  /**
   * Opens a store.
   *
   * @param settings by key; an unknown key is an error
   * @throws IOException naming the wrong setting, or saying why the store cannot be opened
   */
  ArchiveStore open(URI address, Map<String, String> settings) throws IOException;
}
