package org.flowmon.archive.unsynced;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.ArchiveStoreProvider;
import org.flowmon.archive.store.LocalArchiveStore;

/** Opens {@code unsynced://…}: a folder of an {@link UnsyncedDisk} that a test put there. */
public final class UnsyncedStoreProvider implements ArchiveStoreProvider {
  private static final Map<String, UnsyncedDisk> DISKS = new ConcurrentHashMap<>();

  /** The location of the folder {@code archive} on a disk. */
  public static ArchiveLocation archiveOf(UnsyncedDisk disk) {
    ArchiveLocation location = ArchiveLocation.parse("unsynced://" + disk.path());
    DISKS.put(location.address(), disk);
    return location;
  }

  @Override
  public boolean opens(String scheme) {
    return scheme.equals("unsynced");
  }

  @Override
  public ArchiveStore open(URI address, Map<String, String> settings) throws IOException {
    return new LocalArchiveStore(DISKS.get(address.toString()).path().resolve("archive"));
  }
}
