package org.flowmon.archive.store;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Opens {@code memory://…}: one store for each URL, for the life of the process. */
public final class MemoryStores implements ArchiveStoreProvider {
  private static final Map<String, MemoryObjectStore> STORES = new ConcurrentHashMap<>();

  /** The store of a URL, or one set in its place. */
  public static MemoryObjectStore of(String url) {
    return STORES.computeIfAbsent(url, MemoryObjectStore::new);
  }

  /** Sets a test's own store for a URL. */
  public static void set(String url, MemoryObjectStore store) {
    STORES.put(url, store);
  }

  @Override
  public boolean opens(String scheme) {
    return scheme.equals("memory");
  }

  @Override
  public ArchiveStore open(URI address, Map<String, String> settings) throws IOException {
    StoreSettings given = new StoreSettings(address.toString(), settings);
    RemoteArchiveStore.Options options = RemoteArchiveStore.Options.of(given);
    given.end();
    return new RemoteArchiveStore(of(address.toString()), options);
  }
}
