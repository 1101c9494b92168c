package org.flowmon.deploy.sketch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.state.SuperState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon sketch query}: extracts values from states. */
@Command(
    name = "query",
    mixinStandardHelpOptions = true,
    description = {
      "Answers an extractor from all states of the files together, or from each: the value, its"
          + " bounds, how far it may be off at most (bound: ranks, units of the answer, or a share"
          + " of it) and with what probability that holds."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon sketch query 'QUANTILE(0.95)' week.state",
      "  flowmon sketch query 'TOP(10)' monday.txt tuesday.txt --json"
    })
final class SketchQueryCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "EXTRACTOR",
      description = "As in docs/aggregates.md, without the state: QUANTILE(0.95), TOP(10).")
  private String extractor;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "FILE",
      description = "Exported states of one function.")
  private List<String> files;

  @Option(names = "--each", description = "An answer from each state, not from all as one.")
  private boolean each;

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    ExtractorCall call = ExtractorCall.parse(extractor);
    StateFiles reader = new StateFiles();
    List<StateFiles.Found> found = reader.readAll(files);
    List<SuperState> states = new ArrayList<>();
    if (each) {
      found.forEach(one -> states.add(reader.state(one)));
    } else {
      states.add(reader.merge(found).state());
    }
    BoundExtractor bound;
    try {
      bound = reader.functions().bindExtractor(reader.function(), call.name(), call.parameters());
    } catch (UdafException e) {
      throw new UsageException(e.getMessage());
    }
    List<String> before = new ArrayList<>(each ? List.of("state") : List.of());
    for (int key = 0; key < bound.type().key().size(); key++) {
      before.add(key == 0 ? "item" : "item_" + (key + 1));
    }
    SketchAnswer answer = new SketchAnswer(json, before.toArray(new String[0]));
    answer.value("function", reader.function().stateType());
    answer.value("extractor", extractor);
    answer.value("states", found.size());
    for (int s = 0; s < states.size(); s++) {
      SuperState state = states.get(s);
      List<Object> cells = each ? List.of(found.get(s).where()) : List.of();
      ErrorBound error = bound.bound(state);
      answer.add(bound.extract(state), error, rows(reader, state, error), cells);
    }
    answer.print();
    return ExitCodes.DONE;
  }

  /** The rows for an error in ranks, if the states have it. */
  private static Optional<Long> rows(StateFiles reader, SuperState state, ErrorBound error) {
    if (error.kind() != ErrorBound.Kind.RANK) {
      return Optional.empty();
    }
    try {
      BoundExtractor count =
          reader.functions().bindExtractor(reader.function(), "COUNT", List.of());
      return count.extract(state) instanceof Estimate rows
          ? Optional.of(rows.value().low())
          : Optional.empty();
    } catch (UdafException e) {
      return Optional.empty(); // a user-defined function
    }
  }
}
