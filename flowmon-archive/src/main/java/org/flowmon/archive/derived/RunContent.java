package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.flowmon.archive.log.LazyLogger;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;

/**
 * The content of runs of one kind: made of a snapshot's segments, merged, and compared with these.
 * Not thread-safe. {@code S} is an open segment, as far as it goes into a run.
 */
public abstract class RunContent<R extends DerivedRun, S extends RunSource> {
  /** A run of this size is not merged any more. */
  protected static final long MAX_MERGED_BYTES = 1L << 30;

  /** Segments that are open at the same time. */
  protected static final int MOST_SOURCES = 64;

  private static final LazyLogger LOG = new LazyLogger(RunContent.class);

  private final RunFolder<R> folder;
  private final String segmentsFolder;
  private final List<SealedSegment> segments;

  /** Writes the file of a run under its name, synced. */
  @FunctionalInterface
  protected interface FileContent {
    void write(Path file) throws IOException;
  }

  /** Writes runs. */
  @FunctionalInterface
  protected interface Writer<R> {
    /** Writes a run under a new name and opens it, until the update ends. */
    R write(FileContent content) throws IOException;
  }

  /** The content of a folder's runs over a snapshot, which is held. */
  protected RunContent(RunFolder<R> folder, String segmentsFolder, List<SealedSegment> segments) {
    this.folder = folder;
    this.segmentsFolder = segmentsFolder;
    this.segments = segments;
  }

  protected abstract S openSource(SealedSegment segment) throws IOException;

  /** A run takes no more segments once it has so many entries. */
  protected abstract long mostEntries();

  protected abstract void write(Path file, List<S> sources) throws IOException;

  /** Reads every byte of a run; returns its problem, or throws {@link SegmentCorruptException}. */
  protected abstract Optional<String> problem(R run);

  /**
   * Reads every byte of a run and compares it with its segments, whose damage is reported for them.
   * Throws {@link SegmentCorruptException} if the run is damaged.
   */
  protected abstract Optional<String> difference(RunCover.Share<R> share) throws IOException;

  /** Merges runs; none if they are to be made from segments. Damage of one as {@link #problem}. */
  protected abstract Optional<R> merge(List<RunCover.Share<R>> parts, Writer<R> writer)
      throws IOException;

  /** Whether runs can be merged within the memory; {@link SegmentCorruptException} if damaged. */
  protected boolean fit(List<RunCover.Share<R>> parts) {
    return true;
  }

  /** Whether so much is useless that a run is to be written again; damage as {@link #fit}. */
  protected boolean isWorn(RunCover.Share<R> share) {
    return 2L * share.live() < share.run().segments().size();
  }

  final RunFolder<R> folder() {
    return folder;
  }

  protected final List<SealedSegment> segments() {
    return segments;
  }

  protected final String segmentsFolder() {
    return segmentsFolder;
  }

  protected final ArchiveStore store() {
    return folder.store();
  }

  protected final UUID archive() {
    return folder.archive();
  }

  /** Opens a segment; none if missing or damaged, which is reported for the segment itself. */
  protected final Optional<S> openSound(SealedSegment segment) throws IOException {
    try {
      return Optional.of(openSource(segment));
    } catch (NoSuchFileException | SegmentCorruptException e) {
      return Optional.empty();
    }
  }

  /** Opens a segment; none if it cannot be read, which is logged: no run covers it. */
  protected final Optional<S> openReadable(SealedSegment segment) {
    try {
      return Optional.of(openSource(segment));
    } catch (IOException | SegmentCorruptException | IllegalArgumentException e) {
      LOG.get()
          .warn(
              "segment {} is left out of {}: {}", segment.id(), folder.kind().what(), e.toString());
      return Optional.empty();
    }
  }

  public final boolean isFull(int sources, long entries) {
    return sources >= MOST_SOURCES || entries >= mostEntries();
  }

  /** Writes a run over as many wanted segments as fit; returns the next place to look at, or −1. */
  final int cover(BitSet wanted, int from, List<R> runs, Writer<R> writer) throws IOException {
    List<S> sources = new ArrayList<>();
    int next = from;
    try {
      long entries = 0;
      for (; next >= 0 && !isFull(sources.size(), entries); next = wanted.nextSetBit(next + 1)) {
        Optional<S> source = openReadable(segments.get(next));
        if (source.isPresent()) {
          sources.add(source.get());
          entries += source.get().entries();
        }
      }
      if (!sources.isEmpty()) {
        runs.add(writer.write(file -> write(file, sources)));
      }
    } finally {
      sources.forEach(RunSource::close);
    }
    return next;
  }
}
