package org.flowmon.archive.store;

import java.io.IOException;
import java.net.URI;
import java.util.Map;

/** Opens stores of some URL schemes; found by {@link java.util.ServiceLoader}. */
public interface ArchiveStoreProvider {
  boolean opens(String scheme);

  /** Opens a store. Throws naming a wrong or unknown setting, or why it cannot be opened. */
  ArchiveStore open(URI address, Map<String, String> settings) throws IOException;
}
