package org.flowmon.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When {@code ./flowmon} builds: a copy of it, over empty modules and a Maven that takes notes. */
class LauncherTest {
  @TempDir private Path root;

  private Path calls;

  @BeforeEach
  void makeModules() throws IOException {
    calls = root.resolve("calls");
    Files.copy(Path.of("..", "flowmon"), root.resolve("flowmon"));
    Files.createFile(root.resolve("pom.xml"));
    for (String module :
        List.of("flowmon-ingest", "flowmon-udaf", "flowmon-archive", "flowmon-jobs", "deploy")) {
      Files.createDirectories(root.resolve(module).resolve("src/main"));
      Files.createFile(root.resolve(module).resolve("pom.xml"));
    }
    Path maven = Files.createDirectory(root.resolve("bin")).resolve("mvn");
    Files.writeString(
        maven,
        """
        #!/bin/sh
        if [ "$1" = -v ]; then echo "Apache Maven 3.9.9"; exit 0; fi
        echo "$@" >> calls
        mkdir -p flowmon-ingest/target/classes flowmon-udaf/target/classes
        mkdir -p flowmon-archive/target/classes flowmon-jobs/target/classes deploy/target/classes
        : > deploy/target/classpath.txt
        """);
    if (!maven.toFile().setExecutable(true)) {
      throw new IOException(maven + " cannot be made executable");
    }
  }

  private void flowmon(String... arguments) throws Exception {
    exitCode(Map.of(), arguments);
  }

  private int exitCode(Map<String, String> variables, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("bash", root.resolve("flowmon").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(root.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    Map<String, String> environment = builder.environment();
    environment.put("PATH", root.resolve("bin") + ":" + environment.get("PATH"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.remove("FLOWMON_NO_BUILD");
    environment.remove("FLOWMON_JAVA_OPTS");
    environment.putAll(variables);
    Process process = builder.start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(command + " did not end");
    }
    return process.exitValue();
  }

  /** The goals that Maven was asked for. */
  private List<String> goals() throws IOException {
    return Files.readAllLines(calls).stream().map(line -> line.split(" ", -1)[1]).toList();
  }

  @Test
  void whatWasBuiltForAClusterIsNotBuiltAgainForACommand() throws Exception {
    flowmon("build");
    flowmon("--version");
    assertEquals(List.of("package"), goals());
    Files.createFile(root.resolve("flowmon-jobs/src/main/New.java"));
    flowmon("--version");
    flowmon("--version");
    assertEquals(List.of("package", "process-classes"), goals());
  }

  @Test
  void aBuildCompilesNoTests() throws Exception {
    flowmon("build", "-o");
    assertEquals(
        List.of("-B package -Dmaven.test.skip -pl !it-tests -o"), Files.readAllLines(calls));
    flowmon("test", "-o");
    assertEquals("-B verify -o", Files.readAllLines(calls).get(1));
  }

  @Test
  void aPartThatWasBuiltIsNotTakenForTheWhole() throws Exception {
    flowmon("build", "-pl", "flowmon-jobs");
    flowmon("--version");
    assertEquals(List.of("package", "process-classes"), goals());
  }

  @Test
  void aJvmThatDoesNotStartDoesNotSayThatTheAnswerIsNo() throws Exception {
    for (String options : List.of("-Xnonsense", "-Xmx1g -Xms2g", "--add-modules=none.such")) {
      assertEquals(2, exitCode(Map.of("FLOWMON_JAVA_OPTS", options), "--version"), options);
    }
  }

  @Test
  void aHeapMayBeSmallerThanTheLaunchersOwn() throws Exception {
    assertNotEquals(2, exitCode(Map.of("FLOWMON_JAVA_OPTS", "-Xmx64m"), "--version"));
  }

  @Test
  void helpOfTestAndBuildRunsNothing() throws Exception {
    for (String command : List.of("test", "build", "run")) {
      assertEquals(0, exitCode(Map.of(), command, "--help"), command);
    }
    assertFalse(Files.exists(calls));
  }

  @Test
  void aClassPathThatCannotBeReadIsSaidAndNotTakenForADefect() throws Exception {
    flowmon("--version");
    Files.writeString(root.resolve("deploy/target/classpath.txt"), root + "/gone.jar:x.jar");
    assertEquals(3, exitCode(Map.of("FLOWMON_NO_BUILD", "1"), "--version"));
  }
}
