package org.flowmon.jobs.report.logic;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.report.logic.Measure.Comparison;
import org.flowmon.jobs.report.matrix.PairPeaks;
import org.flowmon.jobs.report.matrix.Similarity;
import org.flowmon.jobs.report.matrix.TrafficMatrix;

/** The traffic matrix of the past, whose parts say what is usual. */
final class MatrixPast {
  private final TrafficMatrix all;
  private final List<TrafficMatrix> parts;
  private final double partSeconds;
  private final PairPeaks peaks;
  private final Map<Measure, PastDistances> usual = new EnumMap<>(Measure.class);

  /**
   * A matrix and its parts, each of so many seconds.
   *
   * @param measures whose distances of the parts are asked for
   */
  MatrixPast(
      TrafficMatrix all, List<TrafficMatrix> parts, double partSeconds, List<Measure> measures) {
    this.all = all;
    this.parts = parts;
    this.partSeconds = partSeconds;
    this.peaks = new PairPeaks(all, parts);
    Similarity.Reference reference = new Similarity.Reference(all);
    List<Comparison> compared = new ArrayList<>();
    for (int part = 0; part < parts.size(); part++) {
      PairPeaks.Growth growth = peaks.growth(parts.get(part), part, 1);
      compared.add(comparison(reference.of(parts.get(part), growth), growth));
    }
    measures.forEach(measure -> usual.put(measure, measure.usual(compared)));
  }

  TrafficMatrix all() {
    return all;
  }

  /** How far the parts are from all, by each measure that was asked for. */
  Map<Measure, PastDistances> usual() {
    return usual;
  }

  /** Compares a window of so many seconds; {@code beside} is called with each pair on the way. */
  Comparison compare(TrafficMatrix now, double seconds, TrafficMatrix.PairVisitor beside) {
    PairPeaks.Growth growth = peaks.growth(now, -1, partSeconds / seconds);
    Similarity similarity =
        Similarity.of(
            now,
            all,
            (mine, other) -> {
              growth.pair(mine, other);
              beside.pair(mine, other);
            });
    return comparison(similarity, growth);
  }

  private Comparison comparison(Similarity similarity, PairPeaks.Growth growth) {
    double usual = parts.isEmpty() ? 0 : all.total() / parts.size();
    return usual == 0
        ? new Comparison(similarity, 0, 0)
        : new Comparison(similarity, growth.records(), growth.excess() / usual);
  }
}
