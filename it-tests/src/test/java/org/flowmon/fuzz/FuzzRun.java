package org.flowmon.fuzz;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A run of the fuzzer over one target, in a process of its own: it instruments the classes of
 * flowmon, and whatever an input does to its JVM does not reach this one.
 *
 * <p>In the folder: {@code corpus}, which grows over runs, {@code findings} and {@code log}.
 */
final class FuzzRun {
  private static final String FUZZER = "com.code_intelligence.jazzer.Jazzer";
  private static final Pattern DONE = Pattern.compile("Done (\\d+) runs in (\\d+) second");
  private static final Pattern STATE =
      Pattern.compile("#(\\d+)\\s.* cov: (\\d+) ft: \\d+ corp: (\\d+)");
  private static final int SECONDS_OF_AN_INPUT = 300;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final FuzzTarget target;
  private final Path folder;

  /** How a run starts, which takes a short one longer than all its inputs. */
  private record Start(List<String> ofJava, List<String> ofFuzzer) {}

  /** Comparisons guide it, too, and its code becomes fast. */
  private static final Start THOROUGH = new Start(List.of(), List.of());

  /**
   * Coverage alone guides it, and calls of the JDK are not looked at: instrumenting and compiling
   * take half of the CPU time.
   */
  private static final Start QUICK =
      new Start(
          List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
          List.of("--trace=cov", "--disabled_hooks=" + sanitizers()));

  /** Jazzer's checks of arguments of the JDK's methods. */
  private static String sanitizers() {
    return Stream.of(
            "BigDecimal",
            "ClojureLangHooks",
            "Deserialization",
            "ExpressionLanguageInjection",
            "FilePathTraversal",
            "LdapInjection",
            "NamingContextLookup",
            "OsCommandInjection",
            "ReflectiveCall",
            "RegexInjection",
            "RegexRoadblocks",
            "ScriptEngineInjection",
            "ServerSideRequestForgery",
            "SqlInjection",
            "TemplateInjection",
            "UnsafeSanitizer",
            "XPathInjection",
            "XmlParserSsrfGuidance")
        .map(name -> "com.code_intelligence.jazzer.sanitizers." + name)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Whether what the fuzzer says is shown as it comes. */
  private enum Output {
    SHOWN,
    IN_FILE
  }

  /**
   * What became of a run.
   *
   * @param finding the input that was found
   * @param inputs that were tried, 0 if it did not come to its end
   * @param log all that the fuzzer said
   */
  record Outcome(
      String target, Optional<Path> finding, long inputs, String coverage, int exitCode, Path log) {
    String text() {
      return target
          + ": "
          + inputs
          + " inputs, "
          + coverage
          + (finding.isPresent() ? ", a finding" : ", no finding")
          + " (log: "
          + log
          + ")";
    }
  }

  FuzzRun(FuzzTarget target, Path folder) {
    this.target = target;
    this.folder = folder;
  }

  private List<String> command(Start start, String... more) throws IOException {
    List<String> command = new ArrayList<>(Fuzz.java());
    command.addAll(1, start.ofJava);
    command.add(1, "-Xmx1500m");
    command.add(1, "-Xss1m");
    command.add(1, "-D" + FuzzDriver.TARGET + "=" + target.name());
    command.add(1, "-Dflowmon.log.level=off");
    command.add(1, "-Djdk.attach.allowAttachSelf=true");
    command.add(1, "-XX:+EnableDynamicAgentLoading");
    command.add(1, "--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.add(1, "--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add(FUZZER);
    command.add("--target_class=" + FuzzDriver.class.getName());
    command.add("--instrumentation_includes=org.flowmon.**");
    command.add("--instrumentation_excludes=org.flowmon.fuzz.**");
    command.add("--custom_hook_includes=org.flowmon.**");
    command.addAll(start.ofFuzzer);
    command.add("-rss_limit_mb=0");
    command.add("-report_slow_units=" + SECONDS_OF_AN_INPUT); // the targets' limits are CPU time
    command.add("-timeout=" + SECONDS_OF_AN_INPUT);
    command.addAll(List.of(more));
    return command;
  }

  /** Fuzzes for a time, or until something is found, and shows what the fuzzer says. */
  Outcome run(Duration time) throws Exception {
    return run(Corpus.of(target), time, THOROUGH, Output.SHOWN);
  }

  /** Fuzzes for some seconds. Each input that it begins with takes of them. */
  Outcome runBriefly(List<byte[]> inputs, Duration time) throws Exception {
    return run(inputs, time, QUICK, Output.IN_FILE);
  }

  private Outcome run(List<byte[]> inputs, Duration time, Start start, Output output)
      throws Exception {
    Path findings = Files.createDirectories(folder.resolve("findings"));
    Path corpus = folder.resolve("corpus");
    Corpus.unpack(inputs, corpus);
    List<Path> before = files(findings);
    Path log = folder.resolve("log");
    int exitCode =
        process(
            command(
                start,
                "-max_total_time=" + time.toSeconds(),
                "-max_len=16384",
                "-print_final_stats=1",
                "-artifact_prefix=" + findings + "/",
                corpus.toString()),
            time.plus(PATIENCE),
            log,
            output);
    Optional<Path> finding =
        files(findings).stream()
            .filter(file -> !before.contains(file) && !file.toString().endsWith(".java"))
            .findFirst();
    long tried = 0;
    String coverage = "";
    for (String line : Files.readAllLines(log, java.nio.charset.StandardCharsets.ISO_8859_1)) {
      Matcher done = DONE.matcher(line);
      Matcher state = STATE.matcher(line);
      if (done.find()) {
        tried = Long.parseLong(done.group(1));
      } else if (state.find()) {
        tried = Long.parseLong(state.group(1)); // of a run that is ended from outside, too
        coverage = state.group(2) + " edges, " + state.group(3) + " inputs kept";
      }
    }
    return new Outcome(target.name(), finding, tried, coverage, exitCode, log);
  }

  /** The fewest inputs that reach what the corpus reaches. */
  Path merge() throws Exception {
    Path least = folder.resolve("least");
    if (Files.exists(least)) {
      for (Path file : files(least)) {
        Files.delete(file);
      }
    }
    Files.createDirectories(least);
    process(
        command(THOROUGH, "-merge=1", least.toString(), folder.resolve("corpus").toString()),
        Duration.ofMinutes(30),
        folder.resolve("merge.log"),
        Output.IN_FILE);
    return least;
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private int process(List<String> command, Duration atMost, Path log, Output output)
      throws Exception {
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    Thread ender =
        new Thread(
            () -> {
              try {
                if (!process.waitFor(atMost.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)) {
                  process.destroyForcibly();
                }
              } catch (InterruptedException e) {
                process.destroyForcibly();
              }
            });
    ender.setDaemon(true);
    ender.start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    try (BufferedReader in = process.inputReader(java.nio.charset.StandardCharsets.ISO_8859_1);
        var out = Files.newBufferedWriter(log, java.nio.charset.StandardCharsets.ISO_8859_1)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.write(line);
        out.newLine();
        if (output == Output.SHOWN) {
          System.err.println(line);
        }
      }
    }
    return process.waitFor();
  }
}
