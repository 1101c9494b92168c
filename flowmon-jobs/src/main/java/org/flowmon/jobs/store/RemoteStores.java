package org.flowmon.jobs.store;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import org.apache.flink.core.fs.FileSystem;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.ArchiveStoreProvider;
import org.flowmon.archive.store.ObjectStore;
import org.flowmon.archive.store.RemoteArchiveStore;
import org.flowmon.archive.store.StoreSettings;

/**
 * Opens {@code s3://bucket/prefix} with a client of its own, as Flink's S3 cannot put
 * conditionally, other URLs ({@code hdfs://…}) as Flink's file systems.
 */
public final class RemoteStores implements ArchiveStoreProvider {
  /** Names of Flink's file systems; the archive opens all as S3. */
  private static final Set<String> S3 = Set.of("s3", "s3a", "s3p");

  @Override
  public boolean opens(String scheme) {
    return true;
  }

  @Override
  public ArchiveStore open(URI address, Map<String, String> settings) throws IOException {
    StoreSettings given = new StoreSettings(address.toString(), settings);
    RemoteArchiveStore.Options options = RemoteArchiveStore.Options.of(given);
    ObjectStore store = store(address, given);
    try {
      return new RemoteArchiveStore(store, options);
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private static ObjectStore store(URI address, StoreSettings given) throws IOException {
    if (!S3.contains(address.getScheme())) {
      given.end();
      return new FlinkObjectStore(FileSystem.get(address), address);
    }
    S3Options options = S3Options.of(given);
    given.end();
    return new S3ObjectStore(address, options);
  }
}
