package org.flowmon.archive.directory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.derived.RunCheck;
import org.flowmon.archive.derived.RunCover;
import org.flowmon.archive.derived.RunProblem;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.flow.IpAddress;

/** Compares the host directory with the segments that it covers. Not thread-safe. */
public final class DirectoryCheck {
  // Segments that are open at the same time.
  private static final int SEGMENTS_AT_ONCE = 64;

  private final ArchiveStore store;
  private final String segmentsFolder;
  private final List<SealedSegment> segments;

  private DirectoryCheck(ArchiveStore store, String segmentsFolder, List<SealedSegment> segments) {
    this.store = store;
    this.segmentsFolder = segmentsFolder;
    this.segments = segments;
  }

  /**
   * Finds the problems of the directory's runs.
   *
   * @param archive that they must belong to
   * @param segments of a snapshot that is held
   */
  public static List<RunProblem> of(
      ArchiveStore store, UUID archive, String segmentsFolder, List<SealedSegment> segments)
      throws IOException {
    DirectoryCheck check = new DirectoryCheck(store, segmentsFolder, segments);
    try (HostDirectory directory = new HostDirectory(store, archive)) {
      return RunCheck.of(directory, segments, check::difference);
    }
  }

  private String difference(RunCover.Share<HostRun> share) throws IOException {
    int[] positions = share.positions();
    for (int from = 0; from < positions.length; from += SEGMENTS_AT_ONCE) {
      int to = Math.min(positions.length, from + SEGMENTS_AT_ONCE);
      String difference = difference(share.run(), positions, from, to);
      if (difference != null) {
        return difference;
      }
    }
    return null;
  }

  /** Compares a run with those of its segments whose numbers are within {@code from … to − 1}. */
  private String difference(HostRun run, int[] positions, int from, int to) throws IOException {
    List<SegmentReader> readers = new ArrayList<>();
    List<HeldFolder> files = new ArrayList<>();
    try {
      List<HostMerge.Input> inputs = new ArrayList<>();
      boolean[] mine = new boolean[positions.length];
      for (int number = from; number < to; number++) {
        SegmentReader reader =
            positions[number] < 0 ? null : open(segments.get(positions[number]), files);
        if (reader != null) {
          readers.add(reader);
          mine[number] = true;
          inputs.addAll(DirectoryUpdate.inputs(reader, number));
        }
      }
      Comparison comparison = new Comparison(run, mine);
      HostMerge.merge(inputs, comparison);
      comparison.end();
      return comparison.problem;
    } finally {
      readers.forEach(SegmentReader::release);
      files.forEach(HeldFolder::close);
    }
  }

  /** Null if the segment is damaged, which is reported for the segment itself. */
  private SegmentReader open(SealedSegment segment, List<HeldFolder> files) throws IOException {
    SegmentReader reader = null;
    try {
      HeldFolder held =
          store.hold(segmentsFolder + "/" + segment.fileName(), segment.segmentFile());
      files.add(held);
      reader = SegmentReader.open(held.folder(), segment);
      for (HostMerge.Input input : DirectoryUpdate.inputs(reader, 0)) {
        input.stream().next();
      }
      return reader;
    } catch (java.nio.file.NoSuchFileException | SegmentCorruptException e) {
      if (reader != null) {
        reader.release();
      }
      return null;
    }
  }

  /** Walks a run beside the addresses of its segments. */
  private static final class Comparison implements HostSink {
    private final HostStream stream;
    private final boolean[] mine;
    private int[] places = new int[16];
    private int count;
    private String problem;

    Comparison(HostRun run, boolean[] mine) {
      this.stream = run.stream();
      this.mine = mine;
    }

    /** Advances to the next address that the run has in one of the segments. */
    private boolean next() {
      while (stream.next()) {
        if (places.length < stream.count()) {
          places = new int[2 * stream.count()];
        }
        count = 0;
        for (int i = 0; i < stream.count(); i++) {
          int place = stream.place(i);
          places[count] = place;
          count += mine[place >>> 2] ? 1 : 0;
        }
        if (count > 0) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void add(long high, long low, int[] expected, int n) {
      if (problem != null) {
        return;
      }
      String wanted = "expected " + new IpAddress(high, low) + " in " + n + " segments";
      if (!next()) {
        problem = wanted + ", found no more addresses";
      } else if (stream.high() != high
          || stream.low() != low
          || !Arrays.equals(places, 0, count, expected, 0, n)) {
        problem =
            wanted
                + ", found "
                + new IpAddress(stream.high(), stream.low())
                + " in "
                + count
                + ", or in others";
      }
    }

    void end() {
      if (problem == null && next()) {
        problem = new IpAddress(stream.high(), stream.low()) + " is in no segment that it names";
      }
    }
  }
}
