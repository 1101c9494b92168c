package org.flowmon.jobs.alert;

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counters of alerts.
 *
 * @param silenced alerts without a message: they ended within the silence after an earlier one
 * @param untrackedKeys keys above a rule's limit, counted in each window
 * @param lateReports reports of windows that had been judged
 * @param failedRules windows that a rule could not judge, counted per rule
 * @param unfitRules rules or definitions that do not fit and are left out
 * @param unknownResolves manual resolves of alerts that do not fire: resolved, or another job's
 * @param told messages that are logged once
 */
record AlertCounters(
    Counter fired,
    Counter repeated,
    Counter resolved,
    Counter silenced,
    Counter untrackedKeys,
    Counter lateReports,
    Counter failedRules,
    Counter unfitRules,
    Counter unknownResolves,
    Set<String> told) {
  private static final Logger LOG = LoggerFactory.getLogger(AlertCounters.class);

  static AlertCounters of(MetricGroup group) {
    return new AlertCounters(
        group.counter("fired_alerts"),
        group.counter("repeated_alerts"),
        group.counter("resolved_alerts"),
        group.counter("silenced_alerts"),
        group.counter("untracked_keys"),
        group.counter("late_reports"),
        group.counter("failed_rules"),
        group.counter("unfit_rules"),
        group.counter("unknown_resolves"),
        new HashSet<>());
  }

  void count(Alert message) {
    (message.state() == Alert.State.RESOLVED ? resolved : message.number() == 1 ? fired : repeated)
        .inc();
  }

  void untracked(AlertRule rule) {
    untrackedKeys.inc();
    if (told.add("untracked " + rule.analysis() + " " + rule.name())) {
      LOG.warn(
          "analysis {}: alert {} follows {} keys, its limit; further keys do not fire: raise keys"
              + " of the alert",
          rule.analysis(),
          rule.name(),
          rule.keys());
    }
  }

  /** Counts a rule, or another part of the analysis, that does not fit and was left out. */
  void unfit(String analysis, String rule, RuntimeException e) {
    unfitRules.inc();
    LOG.error("analysis {}: {} cannot be followed and is left out", analysis, rule, e);
  }

  void failed(AlertRule rule, long windowEnd, RuntimeException e) {
    failedRules.inc();
    if (told.add("failed " + rule.analysis() + " " + rule.name())) {
      LOG.error(
          "analysis {}: alert {} could not judge the window that ends at {} µs; later failures are"
              + " only counted in failed_rules",
          rule.analysis(),
          rule.name(),
          windowEnd,
          e);
    }
  }
}
