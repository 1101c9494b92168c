package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.region.MappedRegion;

/** A run in mapped memory, counted by reference like its file. Immutable and thread-safe. */
public abstract class DerivedRun {
  private final MappedRegion file;
  private final List<Covered> segments;

  /** A segment that a run covers: its id, and the CRC32C of its Parquet file. */
  public record Covered(String id, int crc32c) {}

  /** Parses a run's file. */
  @FunctionalInterface
  protected interface Reader<R extends DerivedRun> {
    /** Parses a file, which has to belong to an archive; takes over its reference. */
    R read(MappedRegion file, UUID archive);
  }

  /** Takes over the file's reference. */
  protected DerivedRun(MappedRegion file, List<Covered> segments) {
    this.file = file;
    this.segments = List.copyOf(segments);
  }

  /**
   * Opens a run; its file is closed again if it is none.
   *
   * @throws org.flowmon.archive.region.SegmentCorruptException if it is no run, or of another
   *     archive
   * @throws ForeignRunException if it is of another version
   */
  protected static <R extends DerivedRun> R open(Path path, UUID archive, Reader<R> reader)
      throws IOException {
    MappedRegion file = MappedRegion.open(path);
    try {
      return reader.read(file, archive);
    } catch (RuntimeException e) {
      file.release();
      throw e;
    }
  }

  public final MappedRegion file() {
    return file;
  }

  public final String name() {
    return file.path().getFileName().toString();
  }

  public final int bytes() {
    return file.length();
  }

  public final List<Covered> segments() {
    return segments;
  }

  public final void requireWhole() {
    file.requireWhole();
  }

  /** Takes a reference; each needs its {@link #release}. */
  public final void acquire() {
    file.acquire();
  }

  /** Gives a reference back; the last one unmaps the file. */
  public final void release() {
    file.release();
  }
}
