package org.flowmon.bench.systems;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Loads the same flows into each system, in each layout, and asks both queries, first with nothing
 * in memory, then again. All answers must be those of brute force.
 */
public final class SystemsBench implements Experiment {
  private static final double MB = 1e6;
  private static final String UNKNOWN = "-";

  /** Figures of which there is a plot, in the order of the plots. */
  private static final List<String> PLOTTED =
      List.of("rows_per_second", "a_first_ms", "a_second_ms", "b_first_ms", "b_second_ms");

  private final Map<String, List<SyntheticFlow>> flows = new HashMap<>();
  private final Map<String, List<long[]>> expected = new HashMap<>();

  @Override
  public void run(Run run) throws Exception {
    String chosen = run.quick() ? "quick" : run.flag("full") ? "full" : "combinations";
    List<Combination.Values> values = run.parameters(chosen, Combination.Values.class);
    List<StudySystem> systems =
        run.texts("systems").stream().map(StudySystem::of).distinct().toList();
    for (StudySystem system : systems) {
      if (system.missing().isEmpty()) {
        measure(run, system, values);
      } else {
        run.add(missing(system));
        run.note(system.label() + ": " + system.missing());
      }
    }
    run.note("the answers of all systems are those of brute force");
  }

  private static Row missing(StudySystem system) {
    Row row =
        new Combination(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)
            .row(system.label())
            .put("rows", "not installed")
            .put("disk_mb", UNKNOWN)
            .put("written_mb", UNKNOWN);
    PLOTTED.forEach(figure -> row.put(figure, UNKNOWN));
    return row;
  }

  private void measure(Run run, StudySystem system, List<Combination.Values> values)
      throws Exception {
    List<Combination> combinations =
        values.stream()
            .flatMap(value -> value.combinations(system.factors()).stream())
            .distinct()
            .toList();
    try (FlowStore store = system.open(run, run.folder())) {
      measure(run, store, combinations.get(0), new Row()); // warms up the JVM
      for (Combination combination : combinations) {
        Row row = combination.row(system.label());
        measure(run, store, combination, row);
        run.add(row);
        if (combination.hasTransaction(values.get(0).transactions().get(0))) {
          plot(run, system, combination, row);
        }
      }
      run.note(system.label() + ": " + store.settings());
    }
  }

  private void measure(Run run, FlowStore store, Combination combination, Row row)
      throws Exception {
    List<SyntheticFlow> day =
        flows.computeIfAbsent(
            combination.data(),
            data -> StudyFlows.generate(data, run.integer("rows"), run.number("seed")));
    int rows = combination.isRowByRow() ? run.integer("single-rows") : day.size();
    List<SyntheticFlow> loaded = spread(day, Math.min(rows, day.size()));
    store.create(combination);
    OptionalLong before = store.bytesWritten();
    long start = System.nanoTime();
    store.load(loaded);
    double seconds = (System.nanoTime() - start) / 1e9;
    row.put("rows", loaded.size())
        .put("disk_mb", store.bytesOnDisk() / MB)
        .put("written_mb", megabytes(before, store.bytesWritten()))
        .put("rows_per_second", Math.round(loaded.size() / seconds));
    for (StudyQuery query : StudyQuery.values()) {
      List<long[]> right =
          expected.computeIfAbsent(
              combination.data() + " " + loaded.size() + " " + query,
              key -> query.expected(loaded));
      Optional<String> kept = store.forget();
      kept.ifPresent(why -> run.note("not cold: " + row.values() + ", " + query + ": " + why));
      double first = millis(store, query, right, row);
      row.put(query.label() + "_first_ms", kept.isEmpty() ? (Object) first : UNKNOWN);
      row.put(query.label() + "_second_ms", millis(store, query, right, row));
    }
  }

  /** So many flows of all parts of the day. */
  private static List<SyntheticFlow> spread(List<SyntheticFlow> day, int rows) {
    return IntStream.range(0, rows)
        .mapToObj(i -> day.get((int) ((long) i * day.size() / rows)))
        .toList();
  }

  private static Object megabytes(OptionalLong before, OptionalLong after) {
    return before.isPresent() && after.isPresent()
        ? (Object) ((after.getAsLong() - before.getAsLong()) / MB)
        : UNKNOWN;
  }

  private static double millis(FlowStore store, StudyQuery query, List<long[]> right, Row row)
      throws Exception {
    long start = System.nanoTime();
    List<long[]> answer = store.answer(query);
    double millis = (System.nanoTime() - start) / 1e6;
    check(row.values().toString(), query, answer, right);
    return millis;
  }

  /** Ends the command if the answer is not the right one. */
  static void check(String who, StudyQuery query, List<long[]> answer, List<long[]> right) {
    query
        .difference(answer, right)
        .ifPresent(what -> Run.require(false, "wrong answer to %s of %s: %s", query, who, what));
  }

  /**
   * Adds points at the number of indexes. A system without the factor has its figures at each, to
   * be compared with.
   */
  private static void plot(Run run, StudySystem system, Combination combination, Row row) {
    Map<String, List<String>> indexes = StudySystem.indexes(run);
    boolean isOwn = combination.indexes().equals(Combination.OWN);
    String line =
        system.label()
            + (combination.fields().equals(Combination.OWN) ? "" : ", " + combination.fields())
            + (combination.data().equals(StudyFlows.WORST) ? ", worst" : "");
    for (int p = 0; p < PLOTTED.size(); p++) {
      if (row.values().get(PLOTTED.get(p)) instanceof Number figure) {
        for (Map.Entry<String, List<String>> group : indexes.entrySet()) {
          if (isOwn || group.getKey().equals(combination.indexes())) {
            run.point(p, line, group.getValue().size(), figure.doubleValue());
          }
        }
      }
    }
  }
}
