package org.flowmon.fuzz;

/** What the fuzzer calls, in a process of its own. */
public final class FuzzDriver {
  /** The system property that names the target. */
  static final String TARGET = "flowmon.fuzz.target";

  private static FuzzTarget target;

  private FuzzDriver() {}

  /** Called once, before the first input. */
  public static void fuzzerInitialize() {
    target = FuzzTargets.byName(System.getProperty(TARGET));
  }

  /** Called with each input. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    Limits.check(target, input);
  }
}
