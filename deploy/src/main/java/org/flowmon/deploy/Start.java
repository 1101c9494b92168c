package org.flowmon.deploy;

/**
 * What the launcher runs. It needs no class but the JDK's until {@link Flowmon} is there: where
 * that cannot be loaded, Java itself would end with code 1, which of a command says that the answer
 * is no.
 */
public final class Start {
  /** As {@code ExitCodes.ABORTED}, which is not loaded for it. */
  private static final int ABORTED = 4;

  private Start() {}

  /** Runs one command and exits: see {@link Flowmon#main}. */
  public static void main(String[] args) {
    run(() -> Flowmon.main(args));
  }

  /** Runs a main method of which not even the class may be there. */
  public static void run(Runnable main) {
    try {
      main.run();
    } catch (Throwable e) {
      System.err.println(
          "flowmon: it could not be started: "
              + e
              + "; ./flowmon build makes all anew, FLOWMON_JAVA_OPTS=-Xmx4g gives more memory");
      Runtime.getRuntime().halt(ABORTED);
    }
  }
}
