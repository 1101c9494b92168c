package org.flowmon.deploy.input;

import java.util.Locale;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Option;

/** {@code --biflow}: what becomes of flows with both directions. */
public final class BiflowOption {
  private static final String KEEP = "keep";

  @Option(
      names = "--biflow",
      paramLabel = "keep|split",
      defaultValue = KEEP,
      description =
          "A flow with both directions (RFC 5103, Zeek) stays one row with reverse_ columns, or"
              + " becomes two rows, the second from the destination to the source. Default"
              + " ${DEFAULT-VALUE}.")
  private String biflow = KEEP;

  /** Whether they become two; or a usage error. */
  public boolean areSplit() {
    return switch (biflow.toLowerCase(Locale.ROOT)) {
      case KEEP -> false;
      case "split" -> true;
      default -> throw new UsageException("--biflow " + biflow + ": expected keep or split");
    };
  }
}
