package org.flowmon.jobs.report.logic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.flowmon.jobs.config.Names;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.matrix.Similarity;

/** How far a traffic matrix is from the past: 0 for the same. */
enum Measure {
  JENSEN_SHANNON,
  L1,
  COSINE,
  RECORDS,
  EXCESS;

  private static final double TIMES = 2;

  /**
   * A matrix beside all of the past.
   *
   * @param records share of pairs that sent more than in each part of the past; 0 without parts
   * @param excess the most that a pair sent beyond that, of what all pairs send in a part
   */
  record Comparison(Similarity similarity, double records, double excess) {}

  double distance(Comparison with) {
    return switch (this) {
      case JENSEN_SHANNON -> with.similarity().jensenShannon();
      case L1 -> with.similarity().l1();
      case COSINE -> 1 - with.similarity().cosine();
      case RECORDS -> with.records();
      case EXCESS -> with.excess();
    };
  }

  /**
   * The distance beyond which a matrix is unusual: {@code factor} standard deviations above the
   * mean. A single transfer has no usual size, so an excess must be {@link #TIMES} the largest one
   * of the past, too.
   */
  double limit(PastDistances past, double factor) {
    double limit = past.limit(factor);
    return this == EXCESS ? Math.max(limit, TIMES * past.largest()) : limit;
  }

  /** Returns what is usual, by its distances of parts of the past. */
  PastDistances usual(List<Comparison> parts) {
    double least = this == RECORDS ? 0.005 : 0.01;
    return new PastDistances(parts.stream().mapToDouble(this::distance).toArray(), least);
  }

  /** Whether it needs the past in parts. */
  boolean isOfParts() {
    return this == RECORDS || this == EXCESS;
  }

  /** Whether no distance is above 1. */
  boolean isBounded() {
    return this != EXCESS;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads a parameter: one measure, or several with commas between them. */
  static List<Measure> list(ReportParameters parameters, String name) {
    List<String> words = Arrays.stream(values()).map(Measure::word).toList();
    List<Measure> measures = new ArrayList<>();
    for (String text : parameters.text(name, JENSEN_SHANNON.word()).split(",", -1)) {
      String word = text.strip();
      if (!words.contains(word)) {
        throw parameters.error(
            name,
            "expected one of %s, or several with commas between them, found '%s'%s"
                .formatted(String.join(", ", words), word, Names.didYouMean(word, words)));
      }
      measures.add(values()[words.indexOf(word)]);
    }
    return measures.stream().distinct().toList();
  }
}
