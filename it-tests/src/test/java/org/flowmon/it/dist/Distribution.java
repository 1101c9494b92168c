package org.flowmon.it.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flowmon.it.ProjectFiles;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** The distribution that {@code ./flowmon dist} made, and what was unpacked of it. */
final class Distribution {
  private static final long MINUTES = 20;

  /** Exit code, standard output and standard error of a program. */
  record Run(int code, String out, String err) {}

  private final Path home;

  private Distribution(Path home) {
    this.home = home;
  }

  /**
   * The file in {@code target} of a checkout. Without it the test is skipped and says so; with
   * {@code FLOWMON_REQUIRE_TOOLS} set it fails.
   */
  static Path file(Path checkout) throws IOException {
    List<Path> made;
    try (Stream<Path> files = Files.list(Files.createDirectories(checkout.resolve("target")))) {
      made = files.filter(file -> file.toString().endsWith(".tar.gz")).toList();
    }
    if (System.getenv("FLOWMON_REQUIRE_TOOLS") == null) {
      Assumptions.assumeTrue(
          made.size() == 1, "skipped: ./flowmon dist makes the distribution that is tested");
    }
    Assertions.assertEquals(1, made.size(), made + ": ./flowmon dist makes the one that is tested");
    return made.get(0);
  }

  /** Unpacks the checkout's distribution. */
  static Distribution unpack(Path folder) throws Exception {
    Path file = file(ProjectFiles.root());
    Files.createDirectories(folder);
    Run run = run(folder, Map.of(), "tar", "xzf", file.toString());
    Assertions.assertEquals(0, run.code(), run.err());
    String name = file.getFileName().toString();
    return new Distribution(folder.resolve(name.substring(0, name.length() - ".tar.gz".length())));
  }

  Path home() {
    return home;
  }

  /** Runs {@code bin/flowmon} with no more than a Java and the system's programs. */
  Run flowmon(Path folder, Map<String, String> environment, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(home.resolve("bin/flowmon").toString()));
    command.addAll(Arrays.asList(arguments));
    return run(folder, environment, command.toArray(String[]::new));
  }

  static Run run(Path folder, Map<String, String> environment, String... command) throws Exception {
    Path out = Files.createTempFile("flowmon-dist", ".out");
    Path err = Files.createTempFile("flowmon-dist", ".err");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      String home = System.getenv().getOrDefault("HOME", "/");
      builder.environment().clear();
      builder
          .environment()
          .putAll(
              Map.of(
                  "PATH",
                  "/usr/bin:/bin",
                  "JAVA_HOME",
                  System.getProperty("java.home"),
                  "HOME",
                  home));
      builder.environment().putAll(environment);
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new AssertionError(List.of(command) + " did not end: " + Files.readString(err));
      }
      return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  static String sha256(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (var in = Files.newInputStream(file)) {
      byte[] block = new byte[1 << 16];
      for (int n = in.read(block); n >= 0; n = in.read(block)) {
        digest.update(block, 0, n);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }
}
