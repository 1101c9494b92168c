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
      comparison.found("%s is in no segment that it names", comparison.stream);
    }
    return comparison.problem;
  }

  private void found(String what, HostStream at) {
    problem = Optional.of(String.format(what, new IpAddress(at.high(), at.low())));
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
    String wanted = "expected " + new IpAddress(high, low) + " in " + n + " segments, found ";
    if (!next()) {
      problem = Optional.of(wanted + "no more addresses");
    } else if (stream.high() != high
        || stream.low() != low
        || !Arrays.equals(places, 0, count, expected, 0, n)) {
      found(wanted + "%s in " + count + ", or in others", stream);
    }
  }
}
