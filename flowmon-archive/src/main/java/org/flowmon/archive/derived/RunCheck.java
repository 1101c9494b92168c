package org.flowmon.archive.derived;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;

/**
 * Compares runs with the segments that they cover.
 *
 * @param <R> the kind of runs
 */
@FunctionalInterface
public interface RunCheck<R extends DerivedRun> {
  /**
   * Reads every byte of a run and compares it with its segments.
   *
   * @return the difference, null if there is none; damage of a segment is reported for the segment
   * @throws SegmentCorruptException if the run is damaged
   */
  String difference(RunCover.Share<R> share) throws IOException;

  /**
   * Finds the problems of a folder's runs: unreadable, damaged, of another version, or different
   * from their segments.
   *
   * @param segments of a snapshot that is held
   * @throws IOException if the folder cannot be listed or a segment not be read
   */
  static <R extends DerivedRun> List<RunProblem> of(
      RunFolder<R> folder, List<SealedSegment> segments, RunCheck<R> check) throws IOException {
    RunView<R> view = folder.view(0, segments);
    try {
      List<RunProblem> problems = new ArrayList<>(folder.problems());
      for (RunCover.Share<R> share : view.shares()) {
        String run = share.run().name();
        try {
          String difference = check.difference(share);
          if (difference != null) {
            problems.add(RunProblem.wrong(run, difference));
          }
        } catch (SegmentCorruptException e) {
          if (e.file().endsWith(run)) { // else it is reported for the segment
            problems.add(RunProblem.damaged(run, e.getMessage()));
          }
        }
      }
      return problems;
    } finally {
      view.release();
    }
  }
}
