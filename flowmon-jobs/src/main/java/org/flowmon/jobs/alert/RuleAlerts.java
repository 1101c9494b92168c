package org.flowmon.jobs.alert;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.alert.Alert.Cause;
import org.flowmon.jobs.alert.Alert.State;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.RowConditions;
import org.flowmon.jobs.report.json.ReportJson;
import org.flowmon.jobs.types.RecordSerializer;
import org.flowmon.udaf.result.TableCondition;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/** One rule and the keys that it follows. */
final class RuleAlerts {
  /** The only key of a rule of absence. */
  private static final String NO_KEY = "";

  private final AlertRule rule;
  private final AlertCounters counters;
  // Keys that any window may change, in the order of their messages.
  private final TreeMap<String, KeyAlert> active;
  // Keys with no state left but the silence after their last alert.
  private final Map<String, KeyAlert> idle;
  private @Nullable Compiled compiled; // for the columns of the last report
  // Keys of announced firing alerts, by id; null until asked for.
  private @Nullable Map<String, String> announced;

  /** The rule's condition, if it has one, and key for reports of these columns. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Compiled(
      List<ReportColumn> columns, Optional<TableCondition> condition, int[] keyColumns) {
    int[] rows(ResultTable table) {
      return condition
          .map(chosen -> chosen.select(table))
          .orElseGet(() -> IntStream.range(0, table.rowCount()).toArray());
    }
  }

  RuleAlerts(AlertRule rule, AlertCounters counters) {
    this(rule, counters, Map.of());
  }

  private RuleAlerts(AlertRule rule, AlertCounters counters, Map<String, KeyAlert> followed) {
    this.rule = rule;
    this.counters = counters;
    this.active = new TreeMap<>(followed);
    this.idle = new HashMap<>();
  }

  AlertRule rule() {
    return rule;
  }

  /** This rule's keys, with another severity or other sinks. */
  RuleAlerts with(AlertRule same) {
    Map<String, KeyAlert> all = new HashMap<>(active);
    all.putAll(idle);
    return new RuleAlerts(same, counters, all);
  }

  /** Whether windows without a report can change more than the end of a silence. */
  boolean isActive() {
    return rule.absence() || !active.isEmpty();
  }

  int keys() {
    return active.size() + idle.size();
  }

  long firing() {
    return active.values().stream().filter(KeyAlert::isFiring).count();
  }

  /**
   * Takes a window; {@code report} is null if it has none. If the report does not fit the rule it
   * throws a RuntimeException and the state is unchanged.
   */
  void window(long end, @Nullable Report report, Consumer<Alert> out) {
    Map<String, KeyAlert.Match> matches = matches(report);
    announced = null;
    matches.keySet().forEach(key -> follow(key, end));
    for (var entries = active.entrySet().iterator(); entries.hasNext(); ) {
      var entry = entries.next();
      String key = entry.getKey(); // the entry is another one after removal
      KeyAlert alert = entry.getValue();
      boolean unannounced = alert.isFiring() && !alert.isAnnounced();
      Optional<State> said = alert.window(rule, end, matches.get(key));
      if (said.isPresent()) {
        Cause cause = rule.absence() ? Cause.ABSENCE : Cause.CONDITION;
        Alert message = alert.message(rule, key, end, said.get(), cause);
        counters.count(message);
        out.accept(message);
      } else if (unannounced && !alert.isFiring()) {
        counters.silenced().inc();
      }
      if (alert.isIdle()) {
        entries.remove();
        if (!alert.isForgettable(end)) {
          idle.put(key, alert);
        }
      }
    }
  }

  private void follow(String key, long end) {
    KeyAlert known = idle.remove(key);
    if (known != null) {
      active.put(key, known);
    } else if (!active.containsKey(key)) {
      if (keys() >= rule.keys()) {
        forget(end);
      }
      if (keys() >= rule.keys()) {
        counters.untracked(rule);
      } else {
        active.put(key, new KeyAlert());
      }
    }
  }

  void forget(long end) {
    idle.values().removeIf(alert -> alert.isForgettable(end));
  }

  private Map<String, KeyAlert.Match> matches(@Nullable Report report) {
    if (report == null) {
      return rule.absence() ? Map.of(NO_KEY, KeyAlert.Match.NONE) : Map.of();
    }
    Compiled of = compiled(report.columns());
    int[] rows = of.rows(report.rows());
    if (rule.absence()) {
      boolean there = rule.when() == null || rows.length > 0;
      return there ? Map.of() : Map.of(NO_KEY, new KeyAlert.Match(report.revision(), 0, null));
    }
    Map<String, List<Integer>> byKey = new LinkedHashMap<>();
    for (int row : rows) {
      byKey.computeIfAbsent(report.rowKey(row, of.keyColumns()), key -> new ArrayList<>()).add(row);
    }
    Map<String, KeyAlert.Match> matches = new LinkedHashMap<>();
    byKey.forEach(
        (key, all) ->
            matches.put(
                key,
                new KeyAlert.Match(
                    report.revision(), all.size(), ReportJson.columns(report, all.get(0)))));
    return matches;
  }

  private Compiled compiled(List<ReportColumn> columns) {
    if (compiled == null || !compiled.columns().equals(columns)) {
      compiled =
          new Compiled(
              columns,
              Optional.ofNullable(rule.when()).map(when -> RowConditions.parse(when, columns)),
              rule.absence() ? new int[0] : rule.keyColumns(columns));
    }
    return compiled;
  }

  void end(long end, Consumer<Alert> out) {
    active.forEach(
        (key, alert) -> {
          if (alert.isAnnounced()) {
            Alert message = alert.message(rule, key, end, State.RESOLVED, Cause.RULE_CHANGED);
            counters.count(message);
            out.accept(message);
          }
        });
    active.clear();
    idle.clear();
    announced = null;
  }

  /** Resolves an announced alert, last judged at {@code end}; false if not this rule's. */
  boolean resolve(String id, long end, Consumer<Alert> out) {
    if (announced == null) {
      announced = announced(); // all alerts of a rule may be resolved one after the other
    }
    String key = announced.remove(id);
    if (key == null) {
      return false;
    }
    KeyAlert alert = Objects.requireNonNull(active.get(key), "announced alerts are active");
    alert.resolve(rule, end);
    Alert message = alert.message(rule, key, end, State.RESOLVED, Cause.BY_HAND);
    counters.count(message);
    out.accept(message);
    return true;
  }

  private Map<String, String> announced() {
    Map<String, String> byId = new HashMap<>();
    active.forEach(
        (key, alert) -> {
          if (alert.isAnnounced()) {
            byId.put(rule.id(key, alert.since()), key);
          }
        });
    return byId;
  }

  void write(DataOutputView target) throws IOException {
    rule.write(target);
    target.writeInt(keys());
    for (Map<String, KeyAlert> part : List.of(active, idle)) {
      for (Map.Entry<String, KeyAlert> entry : part.entrySet()) {
        RecordSerializer.writeString(entry.getKey(), target);
        entry.getValue().write(target);
      }
    }
  }

  static RuleAlerts read(AlertCounters counters, DataInputView source) throws IOException {
    AlertRule rule = AlertRule.read(source);
    Map<String, KeyAlert> keys = new HashMap<>();
    int count = source.readInt();
    for (int i = 0; i < count; i++) {
      keys.put(RecordSerializer.readString(source), KeyAlert.read(source));
    }
    return new RuleAlerts(rule, counters, keys);
  }
}
