package org.flowmon.deploy.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.config.ColumnsSection;
import org.flowmon.jobs.config.ConfigException;
import picocli.CommandLine.Option;

/** {@code --columns}: columns of the user's own. */
public final class ColumnsOption {
  @Option(
      names = "--columns",
      paramLabel = "FILE",
      description =
          "YAML with columns of your own (key columns; docs/columns.md), for example the job's"
              + " configuration. May be repeated.")
  private List<Path> files = new ArrayList<>();

  /** Defines them in this process; throws {@link UsageException} naming file and line. */
  public void define() {
    for (Path file : files) {
      try {
        ColumnsSection.define(file);
      } catch (ConfigException e) {
        throw new UsageException("--columns: " + e.getMessage());
      }
    }
  }
}
