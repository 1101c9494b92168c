package org.flowmon.archive.manifest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.StoredFile;
import org.jspecify.annotations.Nullable;

/** The states that commits of a manifest led to, one by one, as far as their files still exist. */
public final class ManifestHistory {
  private ManifestHistory() {}

  /** The states after one commit and up to another, ascending; of many the last {@code most}. */
  public static List<ManifestState> states(ArchiveStore store, long after, long through, int most)
      throws IOException {
    long from = Math.max(after, through - most) + 1;
    List<ManifestState> states = new ArrayList<>();
    ManifestSum sum = start(store, from);
    while (sum != null && sum.number() <= through) {
      if (sum.number() >= from) {
        ManifestState state = sum.build();
        states.add(state);
        sum = new ManifestSum(state);
      }
      if (sum.number() == through || !ManifestLoader.addNext(store, sum)) {
        break;
      }
    }
    return states;
  }

  /** The newest state up to a commit, or the oldest after it that can be had. */
  private static @Nullable ManifestSum start(ArchiveStore store, long number) throws IOException {
    List<StoredFile> files = store.list(Manifest.FOLDER);
    NavigableSet<Long> snapshots = ManifestLoader.numbers(files, ManifestFrame.Kind.SNAPSHOT);
    ManifestSum sum = ManifestLoader.newestSnapshot(store, snapshots.headSet(number, true));
    if (sum == null && ManifestLoader.numbers(files, ManifestFrame.Kind.COMMIT).contains(0L)) {
      return ManifestLoader.beginning(store);
    }
    for (long later : snapshots.tailSet(number, false)) {
      sum = sum == null ? ManifestLoader.newestSnapshot(store, one(snapshots, later)) : sum;
    }
    return sum;
  }

  private static NavigableSet<Long> one(NavigableSet<Long> of, long number) {
    return of.subSet(number, true, number, true);
  }
}
