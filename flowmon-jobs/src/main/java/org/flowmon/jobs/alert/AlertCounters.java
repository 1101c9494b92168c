package org.flowmon.jobs.alert;

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to alerts, counted.
 *
 * @param fired first messages of alerts
 * @param repeated further messages that an alert fires
 * @param resolved messages that it does not any more
 * @param silenced alerts of which nobody was told, as they were over within the silence after
 *     another one
 * @param untrackedKeys keys, in each window, that were above a rule's limit
 * @param lateReports reports of windows that had been judged
 * @param failedRules windows, of each rule, that it could not judge
 * @param unfitRules rules, or definitions of analyses, that cannot be followed and are left out
 * @param unknownResolves alerts to be resolved by hand that do not fire: they were resolved before,
 *     or are another job's
 * @param told what was logged once
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
          "alert {} of analysis {} follows {} keys and no more, as its `keys` says: others do not"
              + " fire",
          rule.name(),
          rule.analysis(),
          rule.keys());
    }
  }

  /**
   * A rule that makes none for its analysis.
   *
   * @param rule its name, or what else was left out
   */
  void unfit(String analysis, String rule, RuntimeException e) {
    unfitRules.inc();
    LOG.error("{} of analysis {} cannot be followed and is left out", rule, analysis, e);
  }

  void failed(AlertRule rule, long windowEnd, RuntimeException e) {
    failedRules.inc();
    if (told.add("failed " + rule.analysis() + " " + rule.name())) {
      LOG.error(
          "alert {} of analysis {} could not judge the window that ends at {} µs; further windows"
              + " are counted in failed_rules and not logged",
          rule.name(),
          rule.analysis(),
          windowEnd,
          e);
    }
  }
}
