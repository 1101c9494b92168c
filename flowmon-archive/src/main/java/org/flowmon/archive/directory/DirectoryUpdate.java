package org.flowmon.archive.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentReader;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.archive.store.StoredFile;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the directory's files up to a snapshot: covers its new segments, merges runs, deletes what
 * is damaged or not needed. Who dies in between leaves runs that say the same twice, which the next
 * one tidies up. Not thread-safe.
 */
public final class DirectoryUpdate {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryUpdate.class);
  // Segments that are open at the same time.
  private static final int SEGMENTS_AT_ONCE = 64;
  // Of an address in a run: its 16 bytes and the place of its list.
  private static final int ADDRESS_BYTES = 20;
  // The next larger run is merged where it is at most so many times as large as all smaller ones.
  private static final int GROWTH = 3;
  private static final long MAX_MERGED_BYTES = 1L << 30;
  private static final Duration TEMPORARY_AGE = Duration.ofHours(1);

  private final HostDirectory directory;
  private final ArchiveStore store;
  private final String segmentsFolder;
  private final List<SealedSegment> segments;
  private final BooleanSupplier stop;
  private final Set<String> broken = new LinkedHashSet<>();
  private final List<HostRun> held = new ArrayList<>();
  private int covered;
  private int merged;

  /**
   * What an update did.
   *
   * @param covered segments that were added
   * @param merged runs that were merged into others
   * @param damaged runs that were damaged and deleted
   * @param uncovered segments that are still not covered: damaged ones, or it was stopped
   */
  public record Done(int covered, int merged, int damaged, int uncovered) {
    /** Whether no file changed. */
    public boolean isNothing() {
      return covered == 0 && merged == 0 && damaged == 0;
    }
  }

  private DirectoryUpdate(
      HostDirectory directory,
      String segmentsFolder,
      List<SealedSegment> segments,
      BooleanSupplier stop) {
    this.directory = directory;
    this.store = directory.store();
    this.segmentsFolder = segmentsFolder;
    this.segments = segments;
    this.stop = stop;
  }

  /**
   * Updates a directory.
   *
   * @param segments of the newest snapshot, held until this returns
   * @param verify whether every byte of every run is checked first
   * @param stop asked before each file: where it says true the rest is left to the next update
   * @throws IOException where files cannot be written; what was written stands
   */
  public static Done run(
      HostDirectory directory,
      String segmentsFolder,
      List<SealedSegment> segments,
      boolean verify,
      BooleanSupplier stop)
      throws IOException {
    DirectoryUpdate update = new DirectoryUpdate(directory, segmentsFolder, segments, stop);
    try {
      return update.run(verify);
    } finally {
      update.held.forEach(HostRun::release);
      directory.forgetViews();
    }
  }

  private Done run(boolean verify) throws IOException {
    List<HostRun> runs = new ArrayList<>(directory.acquireRuns(broken));
    held.addAll(runs);
    if (verify) {
      runs.removeIf(run -> !isSound(run));
    }
    HostCover cover = HostCover.of(segments, runs);
    BitSet uncovered = cover.uncovered();
    if (uncovered.isEmpty() && runs.isEmpty() && broken.isEmpty()) {
      return new Done(0, 0, 0, 0);
    }
    int damaged = 0;
    for (String name : broken) {
      damaged += delete(name) ? 1 : 0;
    }
    for (HostRun run : cover.idle()) {
      delete(run.name());
    }
    runs.removeAll(cover.idle());
    int left = cover(uncovered, runs);
    while (!stop.getAsBoolean() && mergeSome(runs)) {
      LOG.debug("{} runs are left", runs.size());
    }
    removeTemporary();
    return new Done(covered, merged, damaged, left);
  }

  private boolean isSound(HostRun run) {
    try {
      HostStream all = run.stream();
      long addresses = 0;
      while (all.next()) {
        addresses++;
      }
      if (addresses == run.addresses()) {
        return true;
      }
      LOG.warn("{} has {} addresses, not {}", run.name(), addresses, run.addresses());
    } catch (SegmentCorruptException e) {
      LOG.warn("a run of the host directory is made again: {}", e.getMessage());
    }
    broken.add(run.name());
    return false;
  }

  private boolean delete(String name) throws IOException {
    return store.delete(HostDirectory.FOLDER + "/" + name);
  }

  /** Writes runs of the segments that none covers; says how many segments are left. */
  private int cover(BitSet uncovered, List<HostRun> runs) throws IOException {
    int left = uncovered.cardinality();
    for (int next = uncovered.nextSetBit(0); next >= 0 && !stop.getAsBoolean(); ) {
      List<SealedSegment> some = new ArrayList<>();
      List<SegmentReader> readers = new ArrayList<>();
      List<HeldFolder> files = new ArrayList<>();
      try {
        long addresses = 0;
        for (;
            next >= 0 && !isFull(readers.size(), addresses);
            next = uncovered.nextSetBit(next + 1)) {
          if (open(segments.get(next), readers, files)) {
            some.add(segments.get(next));
            addresses += addresses(readers.get(readers.size() - 1));
          }
        }
        if (!some.isEmpty()) {
          runs.add(write(inputs(readers), some));
          covered += some.size();
          left -= some.size();
        }
      } finally {
        readers.forEach(SegmentReader::release);
        files.forEach(HeldFolder::close);
      }
    }
    return left;
  }

  /** Whether a run of so many segments takes no other: it would grow towards 2 GiB. */
  static boolean isFull(int segments, long addresses) {
    return segments >= SEGMENTS_AT_ONCE || addresses >= MAX_MERGED_BYTES / ADDRESS_BYTES;
  }

  /** Addresses of both columns, those that are in both twice. */
  private static long addresses(SegmentReader reader) {
    long addresses = 0;
    for (FlowColumn column : List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR)) {
      if (reader.presence(column) != Presence.ABSENT) {
        addresses += reader.dictionarySize(column);
      }
    }
    return addresses;
  }

  private boolean open(SealedSegment segment, List<SegmentReader> readers, List<HeldFolder> files) {
    SegmentReader reader = null;
    try {
      HeldFolder held =
          store.hold(segmentsFolder + "/" + segment.fileName(), segment.segmentFile());
      files.add(held);
      reader = SegmentReader.open(held.folder(), segment);
      // Both columns are verified here, so that damage is known for that of this segment.
      for (HostMerge.Input input : inputs(List.of(reader))) {
        input.stream().next();
      }
      readers.add(reader);
      return true;
    } catch (IOException | SegmentCorruptException | IllegalArgumentException e) {
      LOG.warn("segment {} is not in the host directory: {}", segment.id(), e.toString());
      if (reader != null) {
        reader.release();
      }
      return false;
    }
  }

  private static List<HostMerge.Input> inputs(List<SegmentReader> readers) {
    List<HostMerge.Input> inputs = new ArrayList<>();
    int number = 0;
    for (SegmentReader reader : readers) {
      int[] numbers = {number++};
      inputs.add(
          new HostMerge.Input(
              new DictionaryHosts(reader, FlowColumn.SRC_ADDR, HostRunFormat.SOURCE), numbers));
      inputs.add(
          new HostMerge.Input(
              new DictionaryHosts(reader, FlowColumn.DST_ADDR, HostRunFormat.DESTINATION),
              numbers));
    }
    return inputs;
  }

  private HostRun write(List<HostMerge.Input> inputs, List<SealedSegment> of) throws IOException {
    String name = UUID.randomUUID() + HostRunFormat.SUFFIX;
    Path folder = Files.createDirectories(store.writeFolder(HostDirectory.FOLDER));
    try (HostRunWriter writer = new HostRunWriter(folder.resolve(name), directory.archive())) {
      HostMerge.merge(inputs, writer);
      writer.finish(of);
    }
    SealedFile.syncFolder(folder);
    store.publish(HostDirectory.FOLDER + "/" + name);
    HostRun run = directory.openRun(name);
    held.add(run);
    return run;
  }

  /** Merges the runs that should be one; false where there are none. */
  private boolean mergeSome(List<HostRun> runs) throws IOException {
    List<HostCover.Share> shares = new ArrayList<>(HostCover.of(segments, runs).shares());
    shares.sort(Comparator.comparingInt(share -> share.run().bytes()));
    int n = mergeable(shares.stream().mapToLong(share -> share.run().bytes()).toArray());
    List<HostCover.Share> parts = shares.subList(0, n);
    if (n == 0) {
      parts =
          shares.stream()
              .filter(share -> 2L * share.live() < share.run().segments().size())
              .limit(1)
              .toList();
    }
    if (parts.isEmpty()) {
      return false;
    }
    merge(parts, runs);
    return true;
  }

  private void merge(List<HostCover.Share> parts, List<HostRun> runs) throws IOException {
    List<SealedSegment> of = new ArrayList<>();
    List<HostMerge.Input> inputs = new ArrayList<>();
    for (HostCover.Share part : parts) {
      int[] numbers = new int[part.positions().length];
      Arrays.fill(numbers, -1);
      for (int s = 0; s < numbers.length; s++) {
        if (part.positions()[s] >= 0) {
          numbers[s] = of.size();
          of.add(segments.get(part.positions()[s]));
        }
      }
      inputs.add(new HostMerge.Input(part.run().stream(), numbers));
    }
    Set<HostRun> replaced = new HashSet<>();
    parts.forEach(part -> replaced.add(part.run()));
    try {
      runs.add(write(inputs, of));
      merged += replaced.size();
    } catch (SegmentCorruptException e) {
      // Which one it was the error says; all are made again, from the segments.
      LOG.warn("runs of the host directory are made again: {}", e.getMessage());
      cover(places(of), runs);
    }
    runs.removeAll(replaced);
    for (HostRun run : replaced) {
      delete(run.name());
    }
  }

  private BitSet places(List<SealedSegment> some) {
    Set<String> ids = new HashSet<>();
    some.forEach(segment -> ids.add(segment.id()));
    BitSet places = new BitSet();
    for (int i = 0; i < segments.size(); i++) {
      if (ids.contains(segments.get(i).id())) {
        places.set(i);
      }
    }
    return places;
  }

  /**
   * How many of the smallest runs are to be merged into one, 0 for none: afterwards each is larger
   * than three times all smaller ones together.
   *
   * @param bytes of the runs, ascending
   */
  static int mergeable(long[] bytes) {
    int n = 0;
    long sum = 0;
    for (int i = 0; i < bytes.length && sum + bytes[i] <= MAX_MERGED_BYTES; i++) {
      if (i > 0 && bytes[i] <= GROWTH * sum) {
        n = i + 1;
      }
      sum += bytes[i];
    }
    return n;
  }

  private void removeTemporary() throws IOException {
    long before = System.currentTimeMillis() - TEMPORARY_AGE.toMillis();
    for (StoredFile file : store.list(HostDirectory.FOLDER)) {
      if (file.fileName().endsWith(".tmp") && file.modifiedMillis() < before) {
        delete(file.fileName());
      }
    }
  }
}
