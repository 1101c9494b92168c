package org.flowmon.archive.manifest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.StoredFile;
import org.jspecify.annotations.Nullable;

/**
 * The findings of reading a manifest's every file: sound {@code commits}, {@code segments} named by
 * these or a sound snapshot, {@code removed} ids of replaced segments whose files may still exist,
 * {@code damages} empty if every byte is as written, {@code orphans} (temporary files left behind),
 * {@code bytes} read, and the {@code state} after all commits, null if that cannot be told.
 */
public record ManifestAudit(
    long commits,
    List<SealedSegment> segments,
    Set<String> removed,
    List<ManifestCorruptException> damages,
    List<StoredFile> orphans,
    long bytes,
    @Nullable ManifestState state) {

  public static ManifestAudit of(ArchiveStore store) throws IOException {
    return new Auditor(store).run();
  }

  private static final class Auditor {
    private final ArchiveStore store;
    private final Map<String, SealedSegment> segments = new LinkedHashMap<>();
    private final Set<String> removed = new HashSet<>();
    private final List<ManifestCorruptException> damages = new ArrayList<>();
    private long commits;
    private long bytesRead;
    // The sum of the commits so far, null from a damaged one up to the next sound snapshot.
    private @Nullable ManifestSum sum;

    Auditor(ArchiveStore store) {
      this.store = store;
    }

    ManifestAudit run() throws IOException {
      // The promise of commits is read first, so that one made meanwhile is not called missing.
      long last = latest();
      List<StoredFile> files = store.list(Manifest.FOLDER);
      NavigableSet<Long> snapshots = ManifestLoader.numbers(files, ManifestFrame.Kind.SNAPSHOT);
      for (NavigableSet<Long> numbers :
          List.of(ManifestLoader.numbers(files, ManifestFrame.Kind.COMMIT), snapshots)) {
        last = Math.max(last, numbers.isEmpty() ? -1 : numbers.last());
      }
      for (long number = first(files); number <= last; number++) {
        number = commit(number);
        if (snapshots.contains(number)) {
          snapshot(number);
        }
      }
      List<StoredFile> orphans =
          files.stream()
              .filter(f -> f.fileName().startsWith(ArchiveStore.TEMPORARY_PREFIX))
              .toList();
      return new ManifestAudit(
          commits,
          List.copyOf(segments.values()),
          Set.copyOf(removed),
          List.copyOf(damages),
          orphans,
          bytesRead,
          sum == null ? null : sum.build());
    }

    /** The start of the remaining commits: commit 0, or a snapshot before which all was deleted. */
    private long first(List<StoredFile> files) throws IOException {
      long first = 0;
      for (long number : ManifestLoader.numbers(files, ManifestFrame.Kind.PRUNED)) {
        String file = ManifestFrame.Kind.PRUNED.fileName(number);
        byte[] bytes = read(file);
        try {
          if (bytes != null) {
            ManifestFrame.read(file, bytes, ManifestFrame.Kind.PRUNED, number);
            first = number;
          }
        } catch (ManifestCorruptException e) {
          damages.add(e);
        }
      }
      return first;
    }

    private long latest() throws IOException {
      try {
        return LatestCommit.read(store);
      } catch (ManifestCorruptException e) {
        damages.add(e);
        return -1;
      }
    }

    private byte @Nullable [] read(String file) throws IOException {
      byte[] bytes = store.read(file, ManifestFrame.MAX_BYTES);
      bytesRead += bytes == null ? 0 : bytes.length;
      return bytes;
    }

    /** Adds a commit; returns its number, or a later one if it was deleted meanwhile. */
    private long commit(long number) throws IOException {
      String file = ManifestFrame.Kind.COMMIT.fileName(number);
      byte[] bytes = read(file);
      try {
        if (bytes == null) {
          long first = first(store.list(Manifest.FOLDER));
          if (first > number) {
            sum = null; // the snapshot of that number starts again
            return commit(first);
          }
          throw ManifestLoader.missing(number, "a later commit was written");
        }
        CommitRecord record = CommitRecord.fromBytes(file, bytes, number);
        record.commit().segments().forEach(s -> segments.put(s.id(), s));
        record.commit().replaced().forEach(segments::remove);
        removed.addAll(record.commit().replaced());
        Expiration expiration = record.expiration();
        expiration.trimmed().values().forEach(s -> segments.put(s.id(), s));
        for (Collection<String> gone :
            List.of(expiration.expired(), expiration.trimmed().keySet())) {
          segments.keySet().removeAll(gone);
          removed.addAll(gone);
        }
        if (number == 0) {
          sum = new ManifestSum(record.frame().archive());
        }
        if (sum != null) {
          sum.add(file, record);
        }
        commits++;
      } catch (ManifestCorruptException e) {
        damages.add(e);
        sum = null;
      }
      return number;
    }

    private void snapshot(long number) throws IOException {
      String file = ManifestFrame.Kind.SNAPSHOT.fileName(number);
      byte[] bytes = read(file);
      if (bytes == null) {
        return; // deleted since it was listed
      }
      try {
        ManifestState read = ManifestSnapshot.read(file, bytes, number).build();
        if (sum != null) {
          ManifestState state = sum.build();
          sum = new ManifestSum(state);
          if (!Arrays.equals(ManifestSnapshot.toBytes(state), bytes)) {
            throw new ManifestCorruptException(
                file, "content", "not what the commits up to its number add up to");
          }
        } else {
          read.segments().forEach(s -> segments.putIfAbsent(s.id(), s));
          read.removed().keySet().forEach(segments::remove);
          removed.addAll(read.removed().keySet());
          sum = new ManifestSum(read);
        }
      } catch (ManifestCorruptException e) {
        damages.add(e);
      }
    }
  }
}
