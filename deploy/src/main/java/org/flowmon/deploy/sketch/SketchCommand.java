package org.flowmon.deploy.sketch;

import java.util.concurrent.Callable;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code flowmon sketch}: works with exported states of aggregate functions. */
@Command(
    name = "sketch",
    mixinStandardHelpOptions = true,
    description = {
      "Merges, compares and queries states of aggregate functions that were exported.",
      "A FILE holds states one behind the other as bytes, or as base64, one a line; - is standard"
          + " input. Each state says which function it is of."
    },
    subcommands = {SketchMergeCommand.class, SketchDiffCommand.class, SketchQueryCommand.class})
public final class SketchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new UsageException("sketch: expected one of " + spec.subcommands().keySet());
  }
}
