package org.flowmon.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

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
  void helpNamesWhatTheLauncherDoesItself() {
    assertEquals(0, commandLine.execute("--help"));
    for (String own :
        new String[] {"  build ", "  test ", "  run FILE.java ", "  bench ", "  fuzz "}) {
      assertTrue(out.toString().contains("\n" + own), own + " in " + out);
    }
  }

  @Test
  void aCommandThatIsNamedIsReadAloneAndSaysTheSame() {
    Subcommands.BY_NAME.forEach(
        (name, type) -> {
          assertEquals(name, type.getAnnotation(CommandLine.Command.class).name());
          CommandLine alone = new CommandLine(CommandSpec.create().name("flowmon"));
          Subcommands.add(alone, name, "--help");
          boolean isAboutOthers = Set.of("help", "man", "completion").contains(name);
          assertEquals(
              isAboutOthers ? Subcommands.BY_NAME.keySet() : Set.of(name),
              alone.getSubcommands().keySet());
          assertEquals(
              commandLine.getSubcommands().get(name).getUsageMessage(),
              alone.getSubcommands().get(name).getUsageMessage());
        });
  }

  @Test
  void misuseIsExplainedOnStandardErrorAndExitsWithTwo() {
    assertEquals(2, commandLine.execute());
    assertTrue(err.toString().contains("expected a command"), err.toString());
    assertEquals("", out.toString());
  }

  @Test
  void anUnknownCommandIsNamedWithTheNearestEvenWhereHelpIsAskedFor() {
    for (String[] args : new String[][] {{"quer", "--help"}, {"quer"}, {"--help", "quer"}}) {
      assertMisuse(
          "flowmon: unknown command 'quer'; did you mean 'query'?\nTry: flowmon --help\n", args);
    }
    assertMisuse("flowmon: unknown command 'xyzzy'\nTry: flowmon --help\n", "xyzzy", "--help");
    assertMisuse(
        "flowmon sketch: unknown command 'marge'; did you mean 'merge'?\n"
            + "Try: flowmon sketch --help\n",
        "sketch",
        "marge");
  }

  @Test
  void anUnknownOptionIsNamedWithTheNearest() {
    assertMisuse(
        "flowmon query: unknown option '--formt'; did you mean '--format'?\n"
            + "Try: flowmon query --help\n",
        "query",
        "SELECT 1",
        "--archive",
        "x",
        "--formt=json");
    // the archive is missing because its option is mistyped
    assertMisuse(
        "flowmon verify: unknown option '--archiv'; did you mean '--archive'?\n"
            + "Try: flowmon verify --help\n",
        "verify",
        "--archiv",
        "x");
    assertMisuse(
        "flowmon verify: missing required option: '--archive=DIR'\nTry: flowmon verify --help\n",
        "verify");
  }

  @Test
  void aValueThatCannotBeIsNamedWithWhatWasExpected() {
    assertMisuse(
        "flowmon demo: --for is 0: expected a time above 0, as in 60s\nTry: flowmon demo --help\n",
        "demo",
        "--for",
        "0s");
    assertMisuse(
        "flowmon demo: --rate is 0: expected 1 flow per second or more\n"
            + "Try: flowmon demo --help\n",
        "demo",
        "--rate",
        "0");
    assertMisuse(
        "flowmon demo: --input /no/such/file: no such file\nTry: flowmon demo --help\n",
        "demo",
        "--input",
        "/no/such/file");
    assertMisuse(
        "flowmon demo: invalid value for option '--for': '60' is not a duration: expected a number"
            + " and ms, s, m, h or d, as in 60s\nTry: flowmon demo --help\n",
        "demo",
        "--for",
        "60");
  }

  @Test
  void anArchiveThatIsNotThereIsNoDamage(@TempDir Path folder) {
    String missing = folder.resolve("none").toString();
    assertEquals(3, commandLine.execute("verify", "--archive", missing), err::toString);
    assertEquals(
        "flowmon verify: there is no archive at "
            + missing
            + "; flowmon import or the job makes one\n",
        err.toString());
    assertEquals(3, commandLine.execute("query", "SELECT uid FROM flows", "--archive", missing));
    assertEquals(2, commandLine.execute("query", "SELECT uid FROM flow", "--archive", missing));
  }

  @Test
  void everyParameterOfAQueryNeedsAValueAndEveryValueAPlace() {
    String sql = "SELECT uid FROM flows WHERE end_time < :now AND src_addr IN (:hosts)";
    String[] none = {"query", sql, "--archive", "x"};
    assertMisuse(
        "flowmon query: parameter :hosts has no value: give one with --param hosts=VALUE\n"
            + "Try: flowmon query --help\n",
        none);
    assertMisuse(
        "flowmon query: --param then: the query has no :then, its parameters are [hosts, now]\n"
            + "Try: flowmon query --help\n",
        "query",
        sql,
        "--archive",
        "x",
        "--param",
        "then=1");
    for (String wrong : List.of("now", "", ":=1")) {
      assertMisuse(
          "flowmon query: --param " + wrong + ": expected NAME=VALUE\nTry: flowmon query --help\n",
          "query",
          sql,
          "--archive",
          "x",
          "--param",
          wrong);
    }
  }

  private void assertMisuse(String said, String... args) {
    err.getBuffer().setLength(0);
    assertEquals(2, commandLine.execute(args), () -> String.join(" ", args) + "\n" + err);
    assertEquals(said, err.toString());
    assertEquals("", out.toString());
  }
}
