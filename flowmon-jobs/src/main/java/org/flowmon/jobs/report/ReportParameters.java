package org.flowmon.jobs.report;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.Names;

/** A report logic's parameters, by name; {@link #end} refuses those not taken, as misspelt. */
public final class ReportParameters {
  private final AnalysisConfig analysis;
  private final Map<String, String> values;
  private final List<String> known = new ArrayList<>();

  public ReportParameters(AnalysisConfig analysis) {
    this.analysis = analysis;
    this.values = analysis.report().parameters();
  }

  /** A decimal number between bounds, both included. */
  public BigDecimal decimal(String name, String otherwise, String min, String max) {
    String text = text(name, otherwise);
    try {
      BigDecimal value = new BigDecimal(text);
      if (value.compareTo(new BigDecimal(min)) >= 0 && value.compareTo(new BigDecimal(max)) <= 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below, with the expected value
    }
    throw error(name, "expected a number " + min + "…" + max + ", found '" + text + "'");
  }

  /** A whole number between bounds, both included. */
  public int integer(String name, int otherwise, int min, int max) {
    String text = text(name, Integer.toString(otherwise));
    try {
      int value = Integer.parseInt(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below, with the expected value
    }
    throw error(name, "expected a whole number " + min + "…" + max + ", found '" + text + "'");
  }

  public String text(String name, String otherwise) {
    known.add(name);
    return values.getOrDefault(name, otherwise);
  }

  public void end() {
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        throw error(
            name,
            "is not a parameter of logic %s%s%s"
                .formatted(
                    analysis.report().logic(),
                    known.isEmpty()
                        ? ", which has none"
                        : "; expected one of " + String.join(", ", known),
                    Names.didYouMean(name, known)));
      }
    }
  }

  public ConfigException error(String name, String message) {
    return analysis.error("report.parameters." + name, message);
  }
}
