package org.flowmon.fuzz;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.flowmon.it.ProjectFiles;

/**
 * {@code flowmon fuzz TARGET [--for 30m] [--keep]}: looks for inputs of one target that are not
 * taken as they should be. Exit code 0 if none was found, 1 if one was, 2 if the call is wrong.
 */
public final class Fuzz {
  private static final Duration DEFAULT = Duration.ofMinutes(1);
  private static final int MAX_INPUT_KEPT = 8192;
  private static final int MAX_CORPUS = 160_000;

  private Fuzz() {}

  public static void main(String[] arguments) throws Exception {
    System.exit(run(arguments, System.out));
  }

  private static int run(String[] arguments, PrintStream out) throws Exception {
    if (arguments.length == 0 || arguments[0].startsWith("-")) {
      out.println("flowmon fuzz TARGET [--for 30m] [--keep]");
      out.println("  --for N(s|m|h)  how long, 1m if not said");
      out.println("  --keep          commit what was reached anew to the target's corpus");
      out.println();
      for (FuzzTarget target : FuzzTargets.all()) {
        out.printf("  %-15s %s%n", target.name(), target.about());
      }
      return arguments.length == 1 && arguments[0].equals("--help") ? 0 : 2;
    }
    FuzzTarget target;
    Duration time = DEFAULT;
    boolean keep = false;
    try {
      target = FuzzTargets.byName(arguments[0]);
      for (int i = 1; i < arguments.length; i++) {
        switch (arguments[i]) {
          case "--for" -> time = duration(i + 1 < arguments.length ? arguments[++i] : "");
          case "--keep" -> keep = true;
          default ->
              throw new IllegalArgumentException(
                  "unknown option '" + arguments[i] + "'; expected --for or --keep");
        }
      }
    } catch (IllegalArgumentException e) {
      System.err.println("flowmon: " + e.getMessage());
      return 2;
    }
    Path folder = ProjectFiles.root().resolve("target/fuzz").resolve(target.name());
    FuzzRun.Outcome outcome = new FuzzRun(target, folder).run(time);
    if (keep) {
      keep(target, folder);
    }
    outcome.finding().ifPresent(file -> out.println("found: " + file));
    out.println(outcome.text());
    return outcome.finding().isPresent() ? 1 : 0;
  }

  /** Keeps the smallest inputs that together reach all that the run reached. */
  private static void keep(FuzzTarget target, Path folder) throws Exception {
    Path least = new FuzzRun(target, folder).merge();
    Path zip =
        ProjectFiles.root()
            .resolve("it-tests/src/test/resources/corpus")
            .resolve(target.name() + ".zip");
    Files.createDirectories(zip.getParent());
    Corpus.pack(least, zip, MAX_INPUT_KEPT, MAX_CORPUS);
  }

  static Duration duration(String text) {
    try {
      int number = Integer.parseInt(text.substring(0, Math.max(0, text.length() - 1)));
      return switch (text.charAt(text.length() - 1)) {
        case 's' -> Duration.ofSeconds(number);
        case 'm' -> Duration.ofMinutes(number);
        case 'h' -> Duration.ofHours(number);
        default -> throw new NumberFormatException();
      };
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("--for '" + text + "': expected 30s, 30m or 2h");
    }
  }

  /** The arguments of a JVM with this one's class path. */
  static List<String> java() throws IOException {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp",
        System.getProperty("java.class.path"));
  }
}
