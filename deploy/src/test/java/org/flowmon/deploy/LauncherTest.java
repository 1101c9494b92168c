package org.flowmon.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests when {@code ./flowmon} builds and what it runs, with a copy of it over nearly empty modules
 * and a Maven that records its calls.
 */
class LauncherTest {
  @TempDir private Path root;

  private Path calls;

  @BeforeEach
  void makeModules() throws IOException {
    calls = root.resolve("calls");
    for (String file : List.of("flowmon", "deploy/src/dist/libexec/launch.bash")) {
      Files.createDirectories(root.resolve(file).getParent());
      Files.copy(Path.of("..").resolve(file), root.resolve(file));
    }
    Files.createFile(root.resolve("pom.xml"));
    for (String module :
        List.of("flowmon-ingest", "flowmon-udaf", "flowmon-archive", "flowmon-jobs", "deploy")) {
      Files.createDirectories(root.resolve(module).resolve("src/main"));
      Files.createFile(root.resolve(module).resolve("pom.xml"));
    }
    Files.createDirectories(root.resolve("it-tests/src/test"));
    Files.createFile(root.resolve("it-tests/pom.xml"));
    Path maven = Files.createDirectory(root.resolve("bin")).resolve("mvn");
    Files.writeString(
        maven,
        """
        #!/bin/sh
        if [ "$1" = -v ]; then echo "Apache Maven 3.9.9"; exit 0; fi
        echo "$@" >> calls
        mkdir -p flowmon-ingest/target/classes flowmon-udaf/target/classes
        mkdir -p flowmon-archive/target/classes flowmon-jobs/target/classes deploy/target/classes
        mkdir -p it-tests/target/test-classes
        : > it-tests/target/classpath.txt
        [ -f deploy/target/classpath.txt ] || : > deploy/target/classpath.txt
        if [ -d made ]; then
          rm -rf deploy/target/classes
          cp -R made deploy/target/classes
        fi
        """);
    if (!maven.toFile().setExecutable(true)) {
      throw new IOException(maven + " cannot be made executable");
    }
  }

  private void flowmon(String... arguments) throws Exception {
    exitCode(Map.of(), arguments);
  }

  private int exitCode(Map<String, String> variables, String... arguments) throws Exception {
    Process process =
        builder(variables, arguments)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.getOutputStream().close();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(List.of(arguments) + " did not end");
    }
    return process.exitValue();
  }

  private ProcessBuilder builder(Map<String, String> variables, String... arguments) {
    List<String> command = new ArrayList<>(List.of("bash", root.resolve("flowmon").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(root.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("PATH", root.resolve("bin") + ":" + environment.get("PATH"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.remove("FLOWMON_NO_BUILD");
    environment.remove("FLOWMON_JAVA_OPTS");
    environment.putAll(variables);
    return builder;
  }

  /** The goals of Maven's calls. */
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
  void whatWasBuiltForABenchmarkIsNotBuiltAgainForTheFuzzerOrACommand() throws Exception {
    flowmon("bench", "seal");
    flowmon("fuzz", "yaml");
    flowmon("--version");
    assertEquals(List.of("process-test-classes"), goals());
    Files.createFile(root.resolve("it-tests/src/test/New.java"));
    flowmon("--version");
    flowmon("bench", "seal");
    assertEquals(List.of("process-test-classes", "process-test-classes"), goals());
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

  /** What the JVM that a command runs in says of itself after a word. */
  private List<String> said(Map<String, String> variables, String command, String word)
      throws Exception {
    Process process = builder(variables, command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    List<String> said = process.inputReader().lines().toList();
    assertEquals(0, process.waitFor(), said.toString());
    return said.stream()
        .filter(line -> line.startsWith(word + " "))
        .map(line -> line.substring(word.length() + 1))
        .toList();
  }

  /** The collectors of the JVM that a command runs in, by the names of their beans. */
  private List<String> collectors(Map<String, String> variables, String command) throws Exception {
    return said(variables, command, "collector");
  }

  @Test
  void anImportHasTheCollectorOfThroughputUnlessAnotherIsAskedFor() throws Exception {
    make("collectors");
    List<String> parallel = List.of("PS MarkSweep", "PS Scavenge");
    assertEquals(parallel, collectors(Map.of(), "import"));
    assertEquals(parallel, collectors(Map.of("FLOWMON_JAVA_OPTS", "-Xss2m"), "import"));
    assertNotEquals(
        parallel, collectors(Map.of("FLOWMON_JAVA_OPTS", "-XX:+UseG1GC"), "collect"), "others");
    Map<String, List<String>> asked =
        Map.of(
            "-XX:+UseSerialGC", List.of("Copy", "MarkSweepCompact"),
            "-Xss2m -XX:+UseSerialGC", List.of("Copy", "MarkSweepCompact"));
    for (Map.Entry<String, List<String>> one : asked.entrySet()) {
      Map<String, String> options = Map.of("FLOWMON_JAVA_OPTS", one.getKey());
      assertEquals(one.getValue(), collectors(options, "import"), one.getKey());
    }
    assertTrue(
        collectors(Map.of("FLOWMON_JAVA_OPTS", "-Xss2m -XX:+UseG1GC"), "import").stream()
            .allMatch(name -> name.startsWith("G1 ")));
  }

  @Test
  void aServerCollectsWithOneThreadUnlessItsHeapOrCollectorIsGiven() throws Exception {
    make("options");
    String one = "-XX:ParallelGCThreads=1";
    assertTrue(said(Map.of(), "serve", "option").contains(one));
    Map<String, String> another = Map.of("FLOWMON_JAVA_OPTS", "-Xss2m");
    assertTrue(said(another, "serve", "option").contains(one));
    assertFalse(said(Map.of(), "collect", "option").contains(one));
    for (String given : List.of("-Xmx300m", "-Xss2m -XX:+UseG1GC")) {
      Map<String, String> options = Map.of("FLOWMON_JAVA_OPTS", given);
      assertFalse(said(options, "serve", "option").contains(one), given);
    }
  }

  @Test
  void theJavaOfThePathIsFoundThroughItsLinks() throws Exception {
    make("links");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Path other = Files.createSymbolicLink(root.resolve("java-link"), java);
    Files.createSymbolicLink(root.resolve("bin/java"), other);
    assertEquals(
        List.of(java.toRealPath().getParent().getParent().toString()),
        said(Map.of("JAVA_HOME", ""), "--version", "home"));
  }

  @Test
  void helpOfTestAndBuildRunsNothing() throws Exception {
    for (String command : List.of("test", "build", "dist", "run")) {
      assertEquals(0, exitCode(Map.of(), command, "--help"), command);
    }
    assertFalse(Files.exists(calls));
  }

  @Test
  void aClassPathThatCannotBeReadIsSaidAndNotTakenForADefect() throws Exception {
    flowmon("--version");
    Files.writeString(copies().get(0).resolve("command.txt"), root + "/gone.jar:x.jar");
    assertEquals(3, exitCode(Map.of("FLOWMON_NO_BUILD", "1"), "--version"));
  }

  /** The copies of build output, the oldest first. */
  private List<Path> copies() throws IOException {
    try (Stream<Path> all = Files.list(root.resolve("target/run"))) {
      return all.filter(Files::isDirectory).sorted().toList();
    }
  }

  /** Makes the next build produce a program that loads a class and a service on request. */
  private void make(String text) throws IOException {
    Path sources = Files.createDirectories(root.resolve("sources"));
    Files.writeString(
        sources.resolve("Start.java"),
        """
        package org.flowmon.deploy;
        public class Start {
          public static void main(String[] args) throws Exception {
            System.out.println("started");
            if (System.in.read() >= 0) {
              java.util.ServiceLoader.load(Runnable.class).forEach(Runnable::run);
              return;
            }
            java.lang.management.ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(bean -> "collector " + bean.getName())
                .sorted()
                .forEach(System.out::println);
            java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()
                .forEach(option -> System.out.println("option " + option));
            System.out.println("home " + System.getProperty("java.home"));
          }
        }
        """);
    Files.writeString(
        sources.resolve("Later.java"),
        """
        package org.flowmon.deploy;
        public class Later implements Runnable {
          public void run() {
            System.out.println("%s");
          }
        }
        """
            .formatted(text));
    Path made = root.resolve("made");
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-d",
                made.toString(),
                sources.resolve("Start.java").toString(),
                sources.resolve("Later.java").toString()));
    Path services = Files.createDirectories(made.resolve("META-INF/services"));
    Files.writeString(services.resolve("java.lang.Runnable"), "org.flowmon.deploy.Later\n");
    Files.writeString(root.resolve("deploy/src/main/Changed.java"), text);
  }

  @Test
  void aBuildDoesNotTouchACommandThatRuns() throws Exception {
    make("first");
    Process process =
        builder(Map.of(), "demo").redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (BufferedReader out = process.inputReader()) {
      assertEquals("started", out.readLine());
      Path first = copies().get(0);
      make("second");
      assertEquals(0, exitCode(Map.of(), "--version"));
      assertEquals(List.of("process-classes", "process-classes"), goals());
      assertEquals(first, copies().get(0));
      assertEquals(2, copies().size());
      process.getOutputStream().write('\n');
      process.getOutputStream().close();
      assertEquals("first", out.readLine());
      assertEquals(0, process.waitFor());
    } finally {
      process.destroyForcibly();
    }
    Path second = copies().get(1);
    make("third");
    assertEquals(0, exitCode(Map.of(), "--version"));
    List<Path> left = copies();
    assertEquals(1, left.size(), left + " and of the second build " + second);
    assertNotEquals(second, left.get(0));
  }

  @Test
  void whatHasNotChangedIsNotPackedAgain() throws Exception {
    flowmon("--version");
    List<Path> packed = copies();
    Files.writeString(root.resolve("flowmon-jobs/src/main/New.java"), "// a comment");
    flowmon("--version");
    flowmon("build");
    flowmon("--version");
    assertEquals(List.of("process-classes", "process-classes", "package"), goals());
    assertEquals(packed, copies());
  }

  @Test
  void ofTwoCommandsAtOnceOneBuilds() throws Exception {
    make("both");
    Process one = builder(Map.of(), "demo").redirectErrorStream(true).start();
    Process other = builder(Map.of(), "demo").redirectErrorStream(true).start();
    for (Process process : List.of(one, other)) {
      process.getOutputStream().write('\n');
      process.getOutputStream().close();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor(), said);
      assertTrue(said.endsWith("started\nboth\n"), said);
    }
    assertEquals(List.of("process-classes"), goals());
    assertEquals(1, copies().size());
  }

  @Test
  void whatMavenAloneHasBuiltRuns() throws Exception {
    make("alone");
    assertEquals(
        0, new ProcessBuilder("bin/mvn", "-B", "x").directory(root.toFile()).start().waitFor());
    assertEquals(0, exitCode(Map.of("FLOWMON_NO_BUILD", "1"), "--version"));
    assertFalse(Files.exists(root.resolve("target/run")));
  }
}
