package org.flowmon.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.it.CommandRun;
import org.junit.jupiter.api.Test;

/** The command line of {@code flowmon bench} behaves like that of the other commands. */
class BenchTest {
  private static CommandRun run(String... arguments) {
    return CommandRun.of(Bench.commandLine(), arguments);
  }

  @Test
  void helpNamesEveryBenchmark() {
    CommandRun help = run("--help");
    assertEquals(ExitCodes.DONE, help.code(), help.err());
    assertTrue(help.out().startsWith("Usage: flowmon bench "), help.out());
    for (String name :
        List.of(
            "live",
            "collect",
            "import",
            "hostile",
            "seal",
            "archive",
            "systems",
            "udaf",
            "detection",
            "serve")) {
      assertTrue(help.out().contains("\n  " + name + " "), name + " in " + help.out());
    }
    assertTrue(
        run("udaf", "tables", "--help").out().startsWith("Usage: flowmon bench udaf tables"));
  }

  @Test
  void misuseIsExplainedAndExitsWithTwo() {
    assertMisuse(
        "flowmon bench: unknown command 'sael'; did you mean 'seal'?\nTry: flowmon bench --help\n",
        "sael");
    assertMisuse("flowmon bench: missing what to measure\nTry: flowmon bench --help\n");
    assertMisuse(
        "flowmon bench seal: unknown option '--row'; did you mean '--rows'?\n"
            + "Try: flowmon bench seal --help\n",
        "seal",
        "--row=1");
    assertMisuse(
        "flowmon bench seal: --rows is a number of 32 bits, found 4294967297\n"
            + "Try: flowmon bench seal --help\n",
        "seal",
        "--rows=4294967297");
    assertMisuse(
        "flowmon bench udaf tables: --share is 1.0E-6 … 0.999999, found NaN\n"
            + "Try: flowmon bench udaf tables --help\n",
        "udaf",
        "tables",
        "--share=NaN");
    assertMisuse(
        "flowmon bench hostile: --for is at least 0.001 s, found PT0S\n"
            + "Try: flowmon bench hostile --help\n",
        "hostile",
        "--for=0s");
  }

  private static void assertMisuse(String said, String... arguments) {
    CommandRun run = run(arguments);
    assertEquals(said, run.err());
    assertEquals(ExitCodes.USAGE, run.code());
    assertEquals("", run.out());
  }
}
