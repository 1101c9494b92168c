package org.flowmon.deploy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flowmon.deploy.CommandRun;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shells and the roff that read what these commands print take it. */
class ManualTest {
  @TempDir Path folder;

  @Test
  void bashCompletesCommandsOptionsAndValues() throws Exception {
    String script = completion("bash");
    assertEquals(List.of("query"), bash(script, "flowmon", "quer"));
    assertEquals(List.of("--format"), bash(script, "flowmon", "query", "--form"));
    assertEquals(List.of("CSV"), bash(script, "flowmon", "query", "--format", "C"));
  }

  @Test
  void fishCompletesCommandsOptionsAndValues() throws Exception {
    needs("fish");
    String script = completion("fish");
    assertEquals(List.of("query"), fish(script, "flowmon quer"));
    assertEquals(List.of("--format"), fish(script, "flowmon query --form"));
    assertEquals(List.of("CSV"), fish(script, "flowmon query --format C"));
    assertEquals(List.of("add"), fish(script, "flowmon analyses ad"));
  }

  @Test
  void eachCommandHasAPageThatRoffTakesWithoutWarning() throws Exception {
    CommandRun run = CommandRun.of("man", "--to", folder.toString());
    assertEquals(0, run.code(), run::toString);
    List<Path> pages;
    try (Stream<Path> files = Files.list(folder)) {
      pages = files.sorted().toList();
    }
    assertTrue(pages.contains(folder.resolve("flowmon.1")), pages::toString);
    assertTrue(pages.contains(folder.resolve("flowmon-analyses-add.1")), pages::toString);
    assertTrue(run.out().startsWith(pages.size() + " pages written to "), run.out());
    String query = Files.readString(folder.resolve("flowmon-query.1"));
    assertEquals(query, CommandRun.of("man", "query").out());
    assertFalse(query.contains("${"), query);
    needs("groff");
    String checked =
        run(
            List.of(
                "bash", "-c", "for p in *.1; do groff -man -ww -z -Tutf8 \"$p\" || exit; done"));
    assertEquals("", checked);
  }

  @Test
  void aCommandThatIsNotThereIsNamed() throws Exception {
    CommandRun run = CommandRun.of("man", "analyses", "ad");
    assertEquals(2, run.code());
    assertTrue(run.err().contains("there is no command 'analyses ad'"), run.err());
  }

  private String completion(String shell) throws Exception {
    CommandRun run = CommandRun.of("completion", shell);
    assertEquals(0, run.code(), run::toString);
    return Files.writeString(folder.resolve("script"), run.out()).toString();
  }

  private List<String> bash(String script, String... words) throws Exception {
    String asked =
        "source \"$0\" && compopt() { :; }; COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1));"
            + " COMP_LINE=\"$*\"; COMP_POINT=${#COMP_LINE}; _complete_flowmon;"
            + " printf '%s\\n' \"${COMPREPLY[@]}\"";
    return lines(Stream.concat(Stream.of("bash", "-c", asked, script), Stream.of(words)).toList());
  }

  private List<String> fish(String script, String typed) throws Exception {
    String asked = "source $argv[1]; complete -C $argv[2] | string replace -r '\\t.*' ''";
    return lines(List.of("fish", "--no-config", "-c", asked, script, typed));
  }

  private List<String> lines(List<String> command) throws Exception {
    return run(command).lines().map(String::strip).toList();
  }

  private String run(List<String> command) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    assertTrue(process.waitFor(1, TimeUnit.MINUTES), command::toString);
    String said = Files.readString(out);
    assertEquals(0, process.exitValue(), said);
    return said;
  }

  private static void needs(String program) throws Exception {
    int found = new ProcessBuilder("sh", "-c", "command -v " + program).start().waitFor();
    boolean isRequired = System.getenv("FLOWMON_REQUIRE_TOOLS") != null;
    assertTrue(found == 0 || !isRequired, program + " is missing");
    Assumptions.assumeTrue(found == 0, program + " is not installed");
  }
}
