package org.flowmon.bench.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.flowmon.bench.Bench;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.it.CommandRun;
import org.junit.jupiter.api.Test;

class ImportRatesTest {
  /** The commands themselves check that each has all lines of the log. */
  @Test
  void aLogIsTakenByFlowmonAndDuckDb() {
    CommandRun run =
        CommandRun.of(
            Bench.commandLine(), "import", "--input", "zeek", "--rows", "3000", "--rounds", "1");
    assertEquals(ExitCodes.DONE, run.code(), run.err());
    assertTrue(run.out().contains("flowmon import"), run.out());
    assertTrue(run.out().contains("DuckDB read_csv"), run.out());
  }

  @Test
  void theLinesOfALogBecomeBatchesWithoutACommand() {
    CommandRun run =
        CommandRun.of(
            Bench.commandLine(),
            "import",
            "--input",
            "zeek_batches",
            "--rows",
            "3000",
            "--rounds",
            "1");
    assertEquals(ExitCodes.DONE, run.code(), run.err());
    assertTrue(run.out().contains("to batches alone, CPU time of one thread"), run.out());
    assertFalse(run.out().contains("DuckDB read_csv"), run.out());
  }
}
