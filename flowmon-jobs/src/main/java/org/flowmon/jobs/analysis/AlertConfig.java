package org.flowmon.jobs.analysis;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.jobs.config.ErrorHandler;
import org.flowmon.jobs.config.Names;
import org.flowmon.jobs.config.RowCondition;
import org.flowmon.jobs.config.YamlSection;
import org.jspecify.annotations.Nullable;

/**
 * A rule for alerts over the reports of an analysis, one item of {@code alerts} in its file:
 *
 * <pre>
 * alerts:
 *   - name: elephant
 *     when: verdict = 'new' AND share > 0.05   # or
 *     absent: 5m            # no report for this long; with when: no row for which it is TRUE
 *     key: [src_addr]       # absent: the key columns of the report
 *     for: 30s              # or
 *     at_least: 3 of 5      # windows
 *     silence: 1h
 *     resolve_after: 1m
 *     severity: warning     # info, critical
 *     sinks: [kafka]        # and names of webhooks of the job's configuration
 *     keys: 10000           # at most
 * </pre>
 *
 * Without {@code key}, the columns that tell the rows of a report apart.
 *
 * @param when null of a rule of absence over reports
 * @param absent null of a rule over rows
 * @param key null: the key columns of the report
 * @param holds in how many successive windows the condition holds; {@link Duration#ZERO}: one
 * @param least in how many of the last {@code of} windows; 0: {@code holds} says it
 * @param of 1 … {@link #MAX_WINDOWS}, 0 if {@code least} is
 * @param silence for how long after a message that it fires there is no other of the key
 * @param resolveAfter for how long the condition may not hold until the alert is resolved
 * @param keys of alerts that are followed at once
 */
public record AlertConfig(
    String name,
    @Nullable RowCondition when,
    @Nullable Duration absent,
    @Nullable List<String> key,
    Duration holds,
    int least,
    int of,
    Duration silence,
    Duration resolveAfter,
    Severity severity,
    List<String> sinks,
    int keys)
    implements Serializable {
  public static final int MAX_WINDOWS = 64;

  /** The only sink that is no webhook. */
  public static final String KAFKA = "kafka";

  private static final int MAX_RULES = 100;
  private static final Duration SILENCE = Duration.ofHours(1);
  private static final int DEFAULT_KEYS = 10_000;
  private static final int MAX_KEYS = 1_000_000;
  private static final Pattern AT_LEAST = Pattern.compile("([0-9]{1,2}) of ([0-9]{1,2})");

  public AlertConfig {
    key = key == null ? null : List.copyOf(key);
    sinks = List.copyOf(sinks);
  }

  /** The severity of an alert. */
  public enum Severity {
    INFO,
    WARNING,
    CRITICAL;

    /** As files and messages say it: in small letters. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The list of a file without its wrong rules; empty without a list. */
  static List<AlertConfig> listOf(YamlSection root, ErrorHandler errors) {
    List<YamlSection> sections = root.sections("alerts");
    if (sections.size() > MAX_RULES) {
      throw root.error("alerts", "expected at most " + MAX_RULES + ", found " + sections.size());
    }
    List<AlertConfig> alerts = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (YamlSection section : sections) {
      AlertConfig alert = of(section, names, errors);
      if (alert != null) {
        alerts.add(alert);
      }
    }
    return List.copyOf(alerts);
  }

  /** Null if a part is wrong, after all errors are reported; {@code names}: rules before it. */
  private static @Nullable AlertConfig of(YamlSection section, Set<String> names, ErrorHandler to) {
    ErrorHandler.Noted errors = new ErrorHandler.Noted(to);
    String name = errors.of(() -> name(section, names), "");
    ErrorHandler.Noted ofTrigger = new ErrorHandler.Noted(errors);
    RowCondition when = ofTrigger.of(() -> section.condition("when"));
    Duration absent = ofTrigger.of(() -> section.durationOrNull("absent"));
    Duration holds = ofTrigger.of(() -> section.durationOrNull("for"));
    int[] atLeast = ofTrigger.of(() -> atLeast(section), new int[2]);
    List<String> key = ofTrigger.of(() -> section.wordsOrNull("key"));
    if (when == null && absent == null && !ofTrigger.any()) {
      errors.of(() -> section.required("when", when, "a condition over the report's rows"));
    } else if (!ofTrigger.any()) {
      errors.run(() -> checkTrigger(section, absent, holds, atLeast, key));
    }
    AlertConfig alert =
        new AlertConfig(
            name,
            when,
            absent,
            key,
            holds == null ? Duration.ZERO : holds,
            atLeast[0],
            atLeast[1],
            errors.of(() -> section.duration("silence", SILENCE), SILENCE),
            errors.of(() -> section.duration("resolve_after", Duration.ZERO), Duration.ZERO),
            errors.of(
                () -> section.choice("severity", Severity.class, Severity.WARNING),
                Severity.WARNING),
            errors.of(() -> sinks(section), List.of()),
            errors.of(() -> section.integer("keys", 1, MAX_KEYS, DEFAULT_KEYS), DEFAULT_KEYS));
    section.end(errors);
    return errors.any() ? null : alert;
  }

  private static String name(YamlSection section, Set<String> names) {
    String name = section.name("name");
    if (!names.add(name)) {
      throw section.error("name", "'" + name + "' is the name of another alert here");
    }
    return name;
  }

  private static void checkTrigger(
      YamlSection section,
      @Nullable Duration absent,
      @Nullable Duration holds,
      int[] atLeast,
      @Nullable List<String> key) {
    if (absent != null && absent.isZero()) {
      throw section.error("absent", "expected more than 0s");
    }
    if (absent != null && (holds != null || atLeast[0] > 0)) {
      String other = holds != null ? "for" : "at_least";
      throw section.error(
          other, "expected one of absent, for and at_least, found absent and " + other);
    }
    if (absent != null && key != null) {
      throw section.error("key", "expected none: absent rows have no key");
    }
    if (holds != null && atLeast[0] > 0) {
      throw section.error("at_least", "expected one of for and at_least, found both");
    }
  }

  private static int[] atLeast(YamlSection section) {
    String expected = "N of M windows, 1 ≤ N ≤ M ≤ " + MAX_WINDOWS + ", such as 3 of 5";
    String text = section.textOrNull("at_least", expected);
    if (text == null) {
      return new int[] {0, 0};
    }
    Matcher matcher = AT_LEAST.matcher(text.strip());
    if (matcher.matches()) {
      int least = Integer.parseInt(matcher.group(1));
      int of = Integer.parseInt(matcher.group(2));
      if (least >= 1 && least <= of && of <= MAX_WINDOWS) {
        return new int[] {least, of};
      }
    }
    throw section.error("at_least", "expected " + expected + ", found '" + text + "'");
  }

  private static List<String> sinks(YamlSection section) {
    List<String> sinks = section.wordsOrNull("sinks");
    if (sinks == null) {
      return List.of(KAFKA);
    }
    for (String sink : sinks) {
      if (!Names.isName(sink)) {
        throw section.error(
            "sinks",
            "expected kafka and names of webhooks of the job's configuration, found '%s'"
                .formatted(sink));
      }
    }
    if (sinks.isEmpty() || new HashSet<>(sinks).size() < sinks.size()) {
      throw section.error("sinks", "expected each sink once, and at least one; found " + sinks);
    }
    return sinks;
  }
}
