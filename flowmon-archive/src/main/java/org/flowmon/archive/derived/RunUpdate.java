package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.StoredFile;
import org.flowmon.flow.files.SyncedFolders;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a folder of runs up to a snapshot: covers its new segments, merges runs, deletes damaged
 * and unneeded ones. If a process dies in between, two runs may cover the same segments; the next
 * update tidies up. For single use; not thread-safe.
 */
public final class RunUpdate<R extends DerivedRun> {
  // The next larger run is merged if it is at most so many times as large as all smaller ones.
  private static final int GROWTH = 3;
  // Another process may still be writing them, or saw a commit that this one did not.
  private static final Duration LEFT_ALONE = Duration.ofHours(1);

  private static final Logger LOG = LoggerFactory.getLogger(RunUpdate.class);

  private final RunFolder<R> folder;
  private final RunContent<R, ?> content;
  private final List<SealedSegment> segments;
  private final BooleanSupplier stop;
  private final Set<String> broken = new LinkedHashSet<>();
  private final List<R> held = new ArrayList<>();
  private int covered;
  private int merged;

  /**
   * The numbers of segments covered, runs merged into others, damaged runs deleted, and segments
   * still uncovered: damaged ones, or all the rest if stopped.
   */
  public record Done(int covered, int merged, int damaged, int uncovered) {
    public boolean isNothing() {
      return covered == 0 && merged == 0 && damaged == 0;
    }
  }

  RunUpdate(RunContent<R, ?> content, BooleanSupplier stop) {
    this.folder = content.folder();
    this.content = content;
    this.segments = content.segments();
    this.stop = stop;
  }

  Done run(BitSet toCover, boolean verify) throws IOException {
    try {
      return update(toCover, verify);
    } finally {
      held.forEach(DerivedRun::release);
      folder.forgetViews();
    }
  }

  private Done update(BitSet toCover, boolean verify) throws IOException {
    List<R> runs = new ArrayList<>(folder.acquireRuns(broken));
    held.addAll(runs);
    if (verify) {
      runs.removeIf(run -> !isSound(run));
    }
    RunCover<R> cover = new RunCover<>(segments, runs);
    BitSet uncovered = cover.uncovered();
    uncovered.and(toCover);
    if (uncovered.isEmpty() && runs.isEmpty() && broken.isEmpty()) {
      return new Done(0, 0, 0, 0);
    }
    int damaged = 0;
    for (String name : broken) {
      damaged += delete(name) ? 1 : 0;
    }
    deleteIdle(cover.idle());
    cover.idle().forEach(share -> runs.remove(share.run()));
    int before = runs.size();
    for (int next = uncovered.nextSetBit(0); next >= 0 && !stop.getAsBoolean(); ) {
      next = content.cover(uncovered, next, runs, this::write);
    }
    covered = runs.subList(before, runs.size()).stream().mapToInt(r -> r.segments().size()).sum();
    while (!stop.getAsBoolean() && mergeSome(runs)) {
      LOG.debug("{} runs are left", runs.size());
    }
    removeTemporary();
    return new Done(covered, merged, damaged, uncovered.cardinality() - covered);
  }

  private boolean isSound(R run) {
    Optional<String> problem;
    try {
      problem = content.problem(run);
    } catch (SegmentCorruptException e) {
      problem = Optional.of(String.valueOf(e.getMessage()));
    }
    problem.ifPresent(
        what -> {
          LOG.warn("a run of {} is rebuilt: {}", folder.kind().what(), what);
          broken.add(run.name());
        });
    return problem.isEmpty();
  }

  private R write(RunContent.FileContent file) throws IOException {
    String kind = folder.kind().folder();
    String name = UUID.randomUUID() + folder.kind().suffix();
    Path path = SyncedFolders.create(folder.store().writeFolder(kind));
    file.write(path.resolve(name));
    SyncedFolders.sync(path);
    folder.store().publish(kind + "/" + name);
    R run = folder.openRun(name);
    held.add(run);
    return run;
  }

  private boolean delete(String name) throws IOException {
    return folder.store().delete(folder.kind().folder() + "/" + name);
  }

  /**
   * Deletes runs that answer for no segment. One that names segments outside this snapshot may be
   * of a process that saw a later commit: it is kept for a while.
   */
  private void deleteIdle(List<RunCover.Share<R>> idle) throws IOException {
    if (idle.isEmpty()) {
      return;
    }
    long before = System.currentTimeMillis() - LEFT_ALONE.toMillis();
    Map<String, Long> modified =
        folder.store().list(folder.kind().folder()).stream()
            .collect(Collectors.toMap(StoredFile::fileName, StoredFile::modifiedMillis));
    for (RunCover.Share<R> share : idle) {
      String name = share.run().name();
      if (!share.namesOthers() || modified.getOrDefault(name, Long.MIN_VALUE) < before) {
        delete(name);
      }
    }
  }

  private boolean mergeSome(List<R> runs) throws IOException {
    List<RunCover.Share<R>> shares = new ArrayList<>(new RunCover<>(segments, runs).shares());
    shares.sort(Comparator.comparingInt(share -> share.run().bytes()));
    int n = mergeable(shares.stream().mapToLong(share -> share.run().bytes()).toArray());
    while (n > 1 && !fitOrDamaged(shares.subList(0, n))) {
      n--;
    }
    List<RunCover.Share<R>> parts = n > 1 ? shares.subList(0, n) : List.of();
    if (parts.isEmpty()) {
      parts = shares.stream().filter(this::isWornOrDamaged).limit(1).toList();
    }
    if (parts.isEmpty()) {
      return false;
    }
    replace(parts, runs);
    return true;
  }

  // Damage that shows while runs are weighed shows again when they are merged, which repairs it.

  private boolean fitOrDamaged(List<RunCover.Share<R>> parts) {
    try {
      return content.fit(parts);
    } catch (SegmentCorruptException e) {
      return true;
    }
  }

  private boolean isWornOrDamaged(RunCover.Share<R> share) {
    try {
      return content.isWorn(share);
    } catch (SegmentCorruptException e) {
      return true;
    }
  }

  private void replace(List<RunCover.Share<R>> parts, List<R> runs) throws IOException {
    Set<R> replaced = new HashSet<>();
    parts.forEach(part -> replaced.add(part.run()));
    Optional<R> one = Optional.empty();
    try {
      one = content.merge(parts, this::write);
    } catch (SegmentCorruptException e) {
      // The error names the damaged run; all are made again, from the segments.
      LOG.warn("runs of {} are rebuilt: {}", folder.kind().what(), e.getMessage());
    }
    if (one.isPresent()) {
      runs.add(one.get());
      merged += replaced.size();
    } else {
      BitSet places = new BitSet(segments.size());
      parts.forEach(part -> part.markAll(places));
      for (int next = places.nextSetBit(0); next >= 0; ) {
        next = content.cover(places, next, runs, this::write);
      }
    }
    runs.removeAll(replaced);
    for (R run : replaced) {
      delete(run.name());
    }
  }

  /**
   * The number of smallest runs to merge into one, 0 for none: then each run is larger than three
   * times all smaller ones together. {@code bytes} of the runs ascend.
   */
  static int mergeable(long[] bytes) {
    int n = 0;
    long sum = 0;
    for (int i = 0; i < bytes.length && sum + bytes[i] <= RunContent.MAX_MERGED_BYTES; i++) {
      if (i > 0 && bytes[i] <= GROWTH * sum) {
        n = i + 1;
      }
      sum += bytes[i];
    }
    return n;
  }

  private void removeTemporary() throws IOException {
    long before = System.currentTimeMillis() - LEFT_ALONE.toMillis();
    for (StoredFile file : folder.store().list(folder.kind().folder())) {
      if (file.fileName().endsWith(".tmp") && file.modifiedMillis() < before) {
        delete(file.fileName());
      }
    }
  }
}
