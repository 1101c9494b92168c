package org.flowmon.deploy;

import java.util.List;

/**
 * The launcher's main class, of JDK classes only: if {@link Flowmon} cannot be loaded, Java itself
 * would end with code 1, which means the answer no.
 */
public final class Start {
  /** Equals {@code ExitCodes.ABORTED}, without loading that class. */
  private static final int ABORTED = 4;

  /** Equals {@code ExitCodes.USAGE}. */
  private static final int USAGE = 2;

  /** The folder of the distribution; not set by the launcher of a checkout. */
  private static final String HOME = "flowmon.home";

  private Start() {}

  public static void main(String[] args) {
    String log = System.getenv("FLOWMON_LOG");
    if (log != null && !List.of("text", "json").contains(log)) {
      System.err.println("flowmon: FLOWMON_LOG is '" + log + "': give text or json, or unset it");
      Runtime.getRuntime().halt(USAGE);
    }
    run(() -> Flowmon.main(args));
  }

  /** Runs a main method whose class may be missing. */
  public static void run(Runnable main) {
    try {
      main.run();
    } catch (Throwable e) {
      System.err.println(
          "flowmon: it could not be started: "
              + e
              + (System.getProperty(HOME) == null
                  ? "; ./flowmon build rebuilds everything"
                  : "; unpack the distribution again")
              + ", FLOWMON_JAVA_OPTS=-Xmx4g gives more memory");
      Runtime.getRuntime().halt(ABORTED);
    }
  }
}
