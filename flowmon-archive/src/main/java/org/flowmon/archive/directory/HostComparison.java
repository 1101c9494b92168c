package org.flowmon.archive.directory;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.flow.IpAddress;

/** Compares a run with the addresses of some of its segments. For single use. */
final class HostComparison implements HostSink {
  private final HostStream stream;
  private final boolean[] mine;
  private int[] places = new int[16];
  private int count;
  private Optional<String> problem = Optional.empty();

  private HostComparison(HostRun run, boolean[] mine) {
    this.stream = run.stream();
    this.mine = mine;
  }

  /** Compares a run with addresses of segments, those that {@code mine} marks by number. */
  static Optional<String> of(HostRun run, boolean[] mine, List<HostMerge.Input> inputs)
      throws IOException {
    HostComparison comparison = new HostComparison(run, mine);
    HostMerge.merge(inputs, comparison);
    if (comparison.problem.isEmpty() && comparison.next()) {
      comparison.problem = Optional.of(comparison.found() + " is in no segment that it names");
    }
    return comparison.problem;
  }

  private IpAddress found() {
    return new IpAddress(stream.high(), stream.low());
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
    if (problem.isPresent()) {
      return;
    }
    boolean any = next();
    if (!any
        || stream.high() != high
        || stream.low() != low
        || !Arrays.equals(places, 0, count, expected, 0, n)) {
      problem =
          Optional.of(
              String.format(
                  "expected %s in %s segments, found %s",
                  new IpAddress(high, low),
                  n,
                  any ? found() + " in " + count + ", or in others" : "no more addresses"));
    }
  }
}
