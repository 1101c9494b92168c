package org.flowmon.deploy.terminal;

import picocli.CommandLine.Option;

/** {@code --progress}, shared by all long commands. */
public final class ProgressOption {
  @Option(
      names = "--progress",
      negatable = true,
      description =
          "Say on standard error how far it is, also where that is no terminal; --no-progress:"
              + " nowhere.")
  private Boolean wanted;

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
