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
   * Reads every byte of a run and compares it with what its segments say.
   *
   * @return what it says otherwise, null if nothing; damage of a segment is said of the segment
   * @throws SegmentCorruptException if the run is damaged
   */
  String difference(RunCover.Share<R> share) throws IOException;

  /**
   * What is wrong with the runs of a folder: those that cannot be read, are damaged, are of another
   * version, or say what their segments do not.
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
          if (e.file().endsWith(run)) { // else it is said of the segment
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
