package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import org.flowmon.bench.archive.Answer;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.systems.FlowData.Diversity;
import org.flowmon.deploy.command.UsageException;

/**
 * Loads the same flows into each system, in each layout, and asks both queries, first with nothing
 * in memory, then again. All answers must be those of brute force.
 */
public final class SystemsBench implements Experiment {
  private static final int LOADS = 0;
  private static final int QUERIES = 1;
  private static final int GROWTH = 2;
  private static final int STEPS = 10;
  private static final double MB = 1e6;
  private static final String UNKNOWN = "-";

  private final Map<Diversity, FlowData> flows = new HashMap<>();
  private final Map<String, Answer.Summary> expected = new TreeMap<>();

  @Override
  public void run(Run run) throws IOException, SQLException {
    Combination.Chosen chosen =
        new Combination.Chosen(
            values(run, "data", Diversity.values(), Diversity::label),
            values(run, "fields", Layout.Fields.values(), Layout.Fields::label),
            values(run, "indexes", Layout.Indexes.values(), Layout.Indexes::label),
            run.integers("transactions"));
    List<SystemKind> systems = SystemKind.chosen(run);
    for (Diversity diversity : chosen.diversities()) {
      flows.put(
          diversity, FlowData.generate(diversity, run.integer("rows"), run.number("seed")));
    }
    for (SystemKind system : systems) {
      Path folder = Files.createDirectory(run.folder().resolve(system.label()));
      try (FlowStore store = system.open(folder, run.flag("sync"))) {
        for (Combination combination : chosen.of(system, run.flag("full"))) {
          measure(run, store, combination);
        }
        run.note(system.label() + ": " + store.settings());
      }
    }
    run.note("the answers of all systems are those of brute force");
  }

  private static <T> List<T> values(
      Run run, String option, T[] all, Function<T, String> label) {
    return run.texts(option).stream()
        .map(
            text ->
                Arrays.stream(all)
                    .filter(value -> label.apply(value).equals(text))
                    .findFirst()
                    .orElseThrow(
                        () ->
                            new UsageException(
                                "--"
                                    + option
                                    + ": expected "
                                    + Arrays.stream(all).map(label).toList()
                                    + ", found "
                                    + text)))
        .toList();
  }

  private void measure(Run run, FlowStore store, Combination combination)
      throws IOException, SQLException {
    FlowData data = flows.get(combination.diversity());
    boolean isSingle = combination.layout().transaction() == 1;
    int rows =
        isSingle ? Math.min(run.integer("single-rows"), data.rows()) : data.rows();
    store.create(combination.layout());
    load(run, store, combination, data, rows);
    Row row = combination.row().put("rows", rows);
    for (StudyQuery query : StudyQuery.values()) {
      Optional<String> kept = store.forget();
      kept.ifPresent(why -> run.note(combination + ", " + query + ": not cold: " + why));
      double first = millis(store, combination, query, data, rows);
      String name = query.name().toLowerCase(Locale.ROOT);
      row.put(name + "_first_ms", kept.isEmpty() ? (Object) first : UNKNOWN);
      row.put(name + "_second_ms", millis(store, combination, query, data, rows));
    }
    run.add(QUERIES, row);
  }

  private static void load(
      Run run, FlowStore store, Combination combination, FlowData data, int rows)
      throws IOException, SQLException {
    OptionalLong before = store.bytesWritten();
    OptionalLong written = before;
    long start = System.nanoTime();
    long stepStart = start;
    for (int step = 0; step < STEPS; step++) {
      int to = (int) ((step + 1L) * rows / STEPS);
      store.load(data, (int) ((long) step * rows / STEPS), to);
      if (step == STEPS - 1) {
        store.finish();
      }
      long now = System.nanoTime();
      OptionalLong then = store.bytesWritten();
      run.add(
          GROWTH,
          combination
              .row()
              .put("rows", to)
              .put("seconds", (now - stepStart) / 1e9)
              .put("written_mb", megabytes(written, then)));
      written = then;
      stepStart = System.nanoTime();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    run.add(
        LOADS,
        combination
            .row()
            .put("rows", rows)
            .put("rows_per_second", Math.round(rows / seconds))
            .put("disk_mb", store.bytesOnDisk() / MB)
            .put("written_mb", megabytes(before, written)));
  }

  private static Object megabytes(OptionalLong before, OptionalLong after) {
    return before.isPresent() && after.isPresent()
        ? (Object) ((after.getAsLong() - before.getAsLong()) / MB)
        : UNKNOWN;
  }

  private double millis(
      FlowStore store, Combination combination, StudyQuery query, FlowData data, int rows)
      throws IOException, SQLException {
    long start = System.nanoTime();
    Answer answer = store.answer(query);
    double millis = (System.nanoTime() - start) / 1e6;
    Answer.Summary right =
        expected.computeIfAbsent(
            combination.diversity() + " " + rows + " " + query,
            key -> query.summary(query.expected(data, rows)));
    check(combination.toString(), query, answer, right);
    return millis;
  }

  /** Ends the command if an answer is not the right one. */
  static void check(String who, StudyQuery query, Answer answer, Answer.Summary right) {
    Answer.Summary found = query.summary(answer);
    Run.require(
        found.equals(right), "answers differ, query %s: %s has %s; right is %s", query, who, found,
        right);
    Run.require(query.isOrdered(answer), "query %s: %s does not order its rows", query, who);
  }
}
