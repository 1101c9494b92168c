package org.flowmon.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FlowmonTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine commandLine =
      Flowmon.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

  @Test
  void versionIsTheOneOfTheBuild() {
    assertEquals(0, commandLine.execute("--version"));
    assertTrue(out.toString().matches("flowmon \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R"), out.toString());
  }

  @Test
  void misuseIsExplainedOnStandardErrorAndExitsWithTwo() {
    assertEquals(2, commandLine.execute());
    assertTrue(err.toString().contains("Missing a command"), err.toString());
    assertEquals("", out.toString());
  }
}
