package org.flowmon.bench.live;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;

/** The bundled analyses, with other window lengths; {@code anomaly} of pairs of hosts. */
final class LiveAnalyses {
  /** All names, in the order of tables. */
  static final List<String> NAMES =
      List.of("elephants", "mice", "portscans", "anomaly", "dispersion");

  /** For all together less than a job's limit, and more than any window has: all are exact. */
  private static final int GROUPS = 12_000_000;

  /** Slides of a window of {@code dispersion}, whose length is given by the slide. */
  private static final int DISPERSION_SLIDES = 10;

  private LiveAnalyses() {}

  /**
   * Returns an analysis.
   *
   * @param seconds length of its windows; for {@code dispersion} the slide, a tenth of a window, so
   *     that each gives a report after that time
   * @throws UsageException if there is none of this name
   */
  static AnalysisConfig of(String name, int seconds) {
    String text;
    try {
      text = AnalysisConfig.wholeTextOf(name);
    } catch (ConfigException e) {
      throw new UsageException(e.getMessage());
    }
    int window = seconds;
    if (name.equals("dispersion")) {
      window = DISPERSION_SLIDES * seconds;
      text = replaced(text, "(?m)^  slide: .*$", "  slide: " + seconds + "s");
    }
    if (name.equals("anomaly")) { // of hosts, which are many more groups
      text = replaced(text, "NETWORK\\((CASE .* END), .*\\)", "$1");
    }
    text = replaced(text, "(?m)^  window: .*$", "  window: " + window + "s\n  groups: " + GROUPS);
    AnalysisConfig analysis = AnalysisConfig.parse(name + ".yaml", text);
    JobAnalyses.check(List.of(analysis));
    return analysis;
  }

  /** Returns analyses, each from {@link #of(String, int)}; 0 seconds: as they are shipped. */
  static List<AnalysisConfig> of(List<String> names, int seconds) {
    List<AnalysisConfig> all = new ArrayList<>();
    for (String name : names) {
      all.add(seconds == 0 ? shipped(name) : of(name, seconds));
    }
    return all;
  }

  static AnalysisConfig shipped(String name) {
    return AnalysisConfig.parse(name + ".yaml", AnalysisConfig.wholeTextOf(name));
  }

  private static String replaced(String text, String what, String by) {
    Matcher found = Pattern.compile(what).matcher(text);
    if (!found.find()) {
      throw new IllegalStateException("nothing to replace: " + what + " in " + text);
    }
    return found.replaceAll(by);
  }
}
