package org.flowmon.deploy.sketch;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.udaf.cardinality.DistinctSample;
import org.flowmon.udaf.cardinality.DistinctSets;
import org.flowmon.udaf.frequency.HeavyHitters;
import org.flowmon.udaf.frequency.ItemChanges;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.state.SuperState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon sketch diff}: compares two states. */
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    description = {
      "Compares the states of two files, each file as one state. Of HEAVY_HITTERS: the items whose"
          + " weights changed, the largest changes first. Of DISTINCT_SAMPLE: how many values are"
          + " in both, in either, only before, only after."
    },
    footer = {"", "Example:", "  flowmon sketch diff monday.state tuesday.state --share 0.05"})
final class SketchDiffCommand implements Callable<Integer> {
  private static final double SHARE = 0.01;
  private static final int LIMIT = 20;

  @Parameters(index = "0", paramLabel = "BEFORE", description = "Exported states.")
  private String before;

  @Parameters(index = "1", paramLabel = "AFTER", description = "Exported states.")
  private String after;

  @Option(
      names = "--share",
      description = {
        "Of HEAVY_HITTERS: items whose weight may have changed by at least this share of the larger"
            + " sum of weights; above 0, at most 1. Default "
            + SHARE
            + "."
      })
  private Optional<Double> share = Optional.empty();

  @Option(
      names = "--limit",
      description = "Of HEAVY_HITTERS: items at most; default " + LIMIT + ".")
  private Optional<Integer> limit = Optional.empty();

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    double least = share.orElse(SHARE);
    if (!(least > 0 && least <= 1) || limit.orElse(LIMIT) < 1) {
      throw new UsageException("--share is above 0 and at most 1, --limit at least 1");
    }
    StateFiles reader = new StateFiles();
    StateFiles.Merged first = reader.merge(reader.read(before));
    StateFiles.Merged second = reader.merge(reader.read(after));
    Udaf function = reader.functions().get(reader.function().call().name());
    SketchAnswer answer;
    if (function instanceof HeavyHitters) {
      answer = changes(reader, first.state(), second.state());
    } else if (function instanceof DistinctSample) {
      if (share.isPresent() || limit.isPresent()) {
        throw new UsageException(
            "--share and --limit are for states of HEAVY_HITTERS, found "
                + reader.function().stateType());
      }
      answer = sets(reader, first.state(), second.state());
    } else {
      throw new CommandException(
          before
              + ": states of "
              + function.name()
              + " cannot be compared; expected HEAVY_HITTERS or DISTINCT_SAMPLE; 'sketch query'"
              + " asks one file after the other");
    }
    answer.value("function", reader.function().stateType());
    answer.value("states_before", first.states());
    answer.value("states_after", second.states());
    answer.print();
    return ExitCodes.DONE;
  }

  private SketchAnswer changes(StateFiles reader, SuperState first, SuperState second) {
    ItemChanges changes = new ItemChanges(reader.function(), first, second);
    SketchAnswer answer = SketchAnswer.ofChanges(json);
    answer.add(changes.largest(share.orElse(SHARE), limit.orElse(LIMIT)), changes.error());
    return answer;
  }

  private SketchAnswer sets(StateFiles reader, SuperState first, SuperState second) {
    BoundExtractor count =
        reader.functions().bindExtractor(reader.function(), "CARDINALITY", List.of());
    DistinctSets sets = new DistinctSets(reader.function(), first, second);
    DistinctSets reversed = new DistinctSets(reader.function(), second, first);
    SketchAnswer answer = new SketchAnswer(json, "values");
    add(answer, count, "before", first);
    add(answer, count, "after", second);
    add(answer, count, "in both", sets.intersection());
    add(answer, count, "in either", sets.union());
    add(answer, count, "only before", sets.difference());
    add(answer, count, "only after", reversed.difference());
    return answer;
  }

  private static void add(
      SketchAnswer answer, BoundExtractor count, String name, SuperState state) {
    answer.add(count.extract(state), count.bound(state), name);
  }
}
