package org.flowmon.jobs.alert;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportSerializer;
import org.flowmon.jobs.types.RecordSerializer;
import org.jspecify.annotations.Nullable;

/**
 * The alerts of one analysis. Each window is judged once, in the order of ends, when the watermark
 * passes its end plus the lateness. No report of it comes after that; without one by then it has
 * none. So alerts depend on the reports alone. Rules of absence begin with the first window that
 * can have a report: that of the first report since the live query last changed or, if earlier, the
 * first whose start and lateness lie after the watermark at which the change was learned.
 */
final class AnalysisAlerts {
  private static final int LAYOUT = 2;
  private static final long NONE = Long.MIN_VALUE;
  private static final ReportSerializer REPORTS = new ReportSerializer();

  private final AlertCounters counters;
  private final Map<String, RuleAlerts> rules = new LinkedHashMap<>();
  // Reports whose windows are still to be judged, by end.
  private final TreeMap<Long, Report> waiting = new TreeMap<>();
  private @Nullable AnalysisConfig analysis; // null until configured
  private long judgedThrough = NONE;
  // The sources of reports, as text; empty if unknown.
  private String basis = "";
  // The end of the first window that rules of absence judge, or a time within the slide before it.
  private long absenceFrom = NONE;
  // Reports of windows that end by then are of the former definition. Useless after the watermark
  // at which the definition changed, so in no checkpoint.
  private long changedAt = NONE;

  /** {@linkplain #configure Configure} it before it judges. */
  AnalysisAlerts(AlertCounters counters) {
    this.counters = counters;
  }

  /**
   * Takes over the present definition, learned at watermark {@code completeThrough}. An unchanged
   * rule keeps its keys; one that does not fit is counted and left out.
   */
  void configure(AnalysisConfig now, long completeThrough, Consumer<Alert> out) {
    if (now.equals(analysis)) {
      return;
    }
    Map<String, RuleAlerts> before = new LinkedHashMap<>(rules);
    rules.clear();
    for (AlertConfig alert : now.alerts()) {
      AlertRule rule;
      try {
        rule = AlertRule.of(now, alert);
      } catch (RuntimeException e) {
        counters.unfit(now.name(), "alert " + alert.name(), e);
        continue;
      }
      RuleAlerts old = before.get(alert.name());
      if (old != null && rule.judgesAs(old.rule())) {
        rules.put(alert.name(), old.with(rule));
        before.remove(alert.name());
      } else {
        rules.put(alert.name(), new RuleAlerts(rule, counters));
      }
    }
    before.values().forEach(gone -> gone.end(judgedThrough, out));
    analysis = now;
    waitForReports(now.live(), completeThrough);
  }

  private void waitForReports(AnalysisConfig.Live live, long completeThrough) {
    String now =
        String.join(
            "\0",
            live.query(),
            live.window().toString(),
            live.slide().toString(),
            live.time().toString(),
            live.lateness().toString(),
            Boolean.toString(live.spread()));
    boolean isKnown = judgedThrough != NONE;
    if (now.equals(basis) || (isKnown && basis.isEmpty())) {
      basis = now; // layout 1 has no basis, and judged from the job's start on
      return;
    }
    if (isKnown) {
      changedAt = completeThrough - live.latenessMicros();
    }
    basis = now;
    long first = live.windowMicros() + live.latenessMicros();
    absenceFrom =
        completeThrough > Long.MAX_VALUE - first ? Long.MAX_VALUE : completeThrough + first;
  }

  void end(Consumer<Alert> out) {
    rules.values().forEach(rule -> rule.end(judgedThrough, out));
  }

  /** Resolves an alert by hand; false if none of this id fires here. */
  boolean resolve(String id, Consumer<Alert> out) {
    return rules.values().stream().anyMatch(rule -> rule.resolve(id, judgedThrough, out));
  }

  /**
   * Takes a report. Of a window's reports the one of the highest revision is judged, the last of
   * equals. A report without groups only tells of late or lost flows and is ignored: no condition
   * holds in it, and lost flows do not break a silence.
   */
  void add(Report report) {
    if (!report.hasGroups()) {
      return;
    }
    if (report.windowEnd() <= judgedThrough) {
      counters.lateReports().inc();
      return;
    }
    waiting.merge(
        report.windowEnd(),
        report,
        (there, other) -> other.revision() >= there.revision() ? other : there);
  }

  void judgeUpTo(long completeThrough, Consumer<Alert> out) {
    long slide = live().slideMicros();
    long through = Math.floorDiv(completeThrough - live().latenessMicros(), slide) * slide;
    if (judgedThrough == NONE) {
      // Earlier windows are not judged: the first one is that of the first report, or the next.
      judgedThrough = waiting.isEmpty() ? through : Math.min(through, waiting.firstKey() - slide);
    }
    judgeThrough(through, out);
  }

  /** Judges the windows up to the last waiting report, as input has ended. */
  void judgeAtEnd(Consumer<Alert> out) {
    if (!waiting.isEmpty()) {
      if (judgedThrough == NONE) {
        judgedThrough = waiting.firstKey() - live().slideMicros();
      }
      long slide = live().slideMicros();
      judgeThrough(Math.floorDiv(waiting.lastKey(), slide) * slide, out);
    }
  }

  private AnalysisConfig.Live live() {
    return Objects.requireNonNull(analysis, "alerts that are not configured").live();
  }

  private void judgeThrough(long through, Consumer<Alert> out) {
    long slide = live().slideMicros();
    // Windows of the former slide may end at other times.
    long end = Math.floorDiv(judgedThrough, slide) * slide + slide;
    for (; end <= through; end += slide) {
      drop(end);
      Report report = waiting.remove(end);
      if (report == null && rules.values().stream().noneMatch(RuleAlerts::isActive)) {
        end = Math.min(through, lastWithoutReport(end, slide));
        long reached = end;
        rules.values().forEach(rule -> rule.forget(reached));
      } else {
        judge(end, report, out);
      }
      judgedThrough = end;
    }
    drop(end - slide + 1);
  }

  /** Drops reports whose windows end before a time at which no window ends. */
  private void drop(long before) {
    Map<Long, Report> stray = waiting.headMap(before);
    counters.lateReports().inc(stray.size());
    stray.clear();
  }

  private long lastWithoutReport(long end, long slide) {
    Long next = waiting.ceilingKey(end);
    return next == null ? Long.MAX_VALUE : Math.floorDiv(next - 1, slide) * slide;
  }

  private void judge(long end, @Nullable Report report, Consumer<Alert> out) {
    if (report != null && end > changedAt) {
      absenceFrom = Math.min(absenceFrom, end);
    }
    for (RuleAlerts rule : rules.values()) {
      if (rule.rule().absence() && end < absenceFrom) {
        continue; // as if it had not come: firing alerts stay
      }
      try {
        rule.window(end, report, out);
      } catch (RuntimeException e) {
        counters.failed(rule.rule(), end, e);
      }
    }
  }

  int keys() {
    return rules.values().stream().mapToInt(RuleAlerts::keys).sum();
  }

  long firing() {
    return rules.values().stream().mapToLong(RuleAlerts::firing).sum();
  }

  /**
   * Layout 2: its number (1 byte), end of the last judged window (8), end from which on absence
   * counts (8), basis (text), number of waiting reports (4) and the reports, number of rules (4)
   * and each rule with its keys. Layout 1 lacks the end from which on absence counts, and the
   * basis.
   */
  byte[] toBytes() throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(1024);
    target.writeByte(LAYOUT);
    target.writeLong(judgedThrough);
    target.writeLong(absenceFrom);
    RecordSerializer.writeString(basis, target);
    target.writeInt(waiting.size());
    for (Report report : waiting.values()) {
      REPORTS.serialize(report, target);
    }
    target.writeInt(rules.size());
    for (RuleAlerts rule : rules.values()) {
      rule.write(target);
    }
    return target.getCopyOfBuffer();
  }

  static AnalysisAlerts of(byte[] bytes, AlertCounters counters) throws IOException {
    DataInputDeserializer source = new DataInputDeserializer(bytes);
    int layout = source.readUnsignedByte();
    if (layout < 1 || layout > LAYOUT) {
      throw new IOException("alerts in layout " + layout + ", this reads layouts 1 to " + LAYOUT);
    }
    AnalysisAlerts alerts = new AnalysisAlerts(counters);
    alerts.judgedThrough = source.readLong();
    if (layout > 1) {
      alerts.absenceFrom = source.readLong();
      alerts.basis = RecordSerializer.readString(source);
    }
    for (int n = source.readInt(); n > 0; n--) {
      Report report = REPORTS.deserialize(source);
      alerts.waiting.put(report.windowEnd(), report);
    }
    for (int n = source.readInt(); n > 0; n--) {
      RuleAlerts rule = RuleAlerts.read(counters, source);
      alerts.rules.put(rule.rule().name(), rule);
    }
    return alerts;
  }
}
