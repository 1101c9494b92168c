package org.flowmon.bench.detection;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.bench.detection.Truth.Role;
import org.flowmon.deploy.replay.ReplayListener;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.report.Report;
import org.flowmon.udaf.value.ResultTable;

/** What a replay's reports say, against the truth. */
final class Verdicts implements ReplayListener {
  private static final double MIB = 1 << 20;

  private final Expectation expected;
  private final Truth truth;
  private final boolean measuresHeap;
  private final long attacked;
  private final Set<String> found = new HashSet<>();
  private final Map<String, Integer> unexplained = new TreeMap<>(); // and in how many windows
  private Set<String> before = Set.of(); // named in the window before, and not explained
  private long alarms;
  private long quietAlarms;
  private long windows;
  private long flows;
  private long late;
  private long unsure;
  private double heap;
  private long groups;

  /**
   * @param attacked when the day of the attacks begins
   */
  Verdicts(Expectation expected, Truth truth, boolean measuresHeap, long attacked) {
    this.expected = expected;
    this.truth = truth;
    this.measuresHeap = measuresHeap;
    this.attacked = attacked;
  }

  static double heapMib() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 2; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least / MIB;
  }

  @Override
  public synchronized void report(Report report) {
    windows++;
    groups = Math.max(groups, report.confidence().groups());
    HistoryStatus history = report.confidence().history();
    unsure += history == HistoryStatus.EXACT || history == HistoryStatus.NONE ? 0 : 1;
    if (measuresHeap) {
      heap = Math.max(heap, heapMib());
    }
    ResultTable rows = report.rows();
    if (expected.verdicts().isEmpty()) {
      return;
    }
    Set<String> named = new HashSet<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      if (!expected.verdicts().contains(rows.text(row, rows.column("verdict")))) {
        continue;
      }
      Map<Role, List<String>> parties = new TreeMap<>();
      List<String> key = new ArrayList<>();
      for (Map.Entry<String, Role> of : expected.keys().entrySet()) {
        String who = rows.formatted(row, rows.column(of.getKey()));
        parties.computeIfAbsent(of.getValue(), role -> new ArrayList<>()).add(who);
        key.add(who);
      }
      Set<String> attacks = truth.explain(parties, report.windowStart(), report.windowEnd());
      attacks.removeIf(attack -> !expected.isExplained(attack));
      found.addAll(attacks);
      if (attacks.isEmpty()) {
        named.add(
            key.isEmpty()
                ? FlowTime.instant(report.windowStart()).toString()
                : String.join(" ", key));
      }
    }
    for (String one : named) {
      unexplained.merge(one, 1, Integer::sum);
      if (!before.contains(one)) {
        alarms++;
        quietAlarms += report.windowEnd() <= attacked ? 1 : 0;
      }
    }
    before = named;
  }

  @Override
  public synchronized void flows(long count, long lateOfThem) {
    flows += count;
    late += lateOfThem;
  }

  @Override
  public void through(long micros) {
    // The end is awaited.
  }

  synchronized long windows() {
    return windows;
  }

  synchronized long flows() {
    return flows;
  }

  synchronized long late() {
    return late;
  }

  /** Windows whose history was not there as a whole. */
  synchronized long unsure() {
    return unsure;
  }

  /** How often a key that no attack explains was named and not in the window before. */
  synchronized long alarms() {
    return alarms;
  }

  /** Those before the day of the attacks. */
  synchronized long quietAlarms() {
    return quietAlarms;
  }

  synchronized double heap() {
    return heap;
  }

  synchronized long groups() {
    return groups;
  }

  /** The attacks that explain rows with the verdict. */
  synchronized Set<String> found() {
    return Set.copyOf(found);
  }

  /** Keys that no attack explains, and in how many windows they were named. */
  synchronized Map<String, Integer> unexplained() {
    return new TreeMap<>(unexplained);
  }
}
