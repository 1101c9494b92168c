package org.flowmon.deploy.terminal;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --progress}, shared by all long commands. */
public final class ProgressOption {
  @Option(
      names = "--progress",
      negatable = true,
      description =
          "Show progress on standard error even if that is not a terminal; --no-progress shows"
              + " none.")
  private @Nullable Boolean wanted;

  public Progress start() {
    boolean terminal = Boolean.getBoolean("flowmon.terminal");
    Progress.Style style =
        wanted == null
            ? (terminal ? Progress.Style.DRAWN : Progress.Style.NONE)
            : !wanted
                ? Progress.Style.NONE
                : terminal ? Progress.Style.DRAWN : Progress.Style.LINES;
    return new Progress(style, System::nanoTime, TerminalStream.steered(System.err));
  }
}
