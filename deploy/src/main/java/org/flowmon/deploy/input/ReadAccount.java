package org.flowmon.deploy.input;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Failure;
import org.flowmon.ingest.file.FileReason;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.text.ShownText;

/**
 * What a command says of the inputs that it reads: flows, rejects by reason, failures, the exit
 * code. Lines, rows, datagrams, sets and flows that are lost are counted apart.
 */
public final class ReadAccount {
  private final String done;
  private final String notDone;
  private final Map<String, Long> lost = new TreeMap<>();
  private int failed;
  private int code = ExitCodes.DONE;

  /**
   * Begins.
   *
   * @param done what becomes of flows, for example {@code imported}
   * @param notDone what a failed input is, for example {@code not imported}
   */
  public ReadAccount(String done, String notDone) {
    this.done = done;
    this.notDone = notDone;
  }

  /** Counts what an input lost. */
  public void add(FileSummary summary) {
    summary.lost().forEach((unit, count) -> lost.merge(unit, count, Long::sum));
    if (summary.isPartLost()) {
      atLeast(ExitCodes.NO);
    }
  }

  /** Tells what an input holds; {@code verb} is said of its flows, for example {@code read}. */
  public static void tell(FileSummary summary, String verb) {
    System.out.printf(
        "%s: %s, %d flows%s%s%s%n",
        ShownText.of(summary.file().toString()),
        summary.label(),
        summary.rows(),
        verb,
        summary.split() == 0 ? "" : ", " + summary.split() + " of them split off biflows",
        summary.rejected().isEmpty() ? "" : ", rejected " + reasons(summary));
    if (!summary.unknown().isEmpty()) {
      System.err.printf(
          "warning: %s: left out, as flowmon has no meaning for them: %s; --map NAME=COLUMN takes"
              + " one%n",
          summary.file(), ShownText.of(String.join(", ", summary.unknown())));
    }
  }

  /** Reason → count, in the order of their names. */
  public static Map<String, Long> reasons(FileSummary summary) {
    return new TreeMap<>(summary.rejected());
  }

  /** Adds and tells a failure; {@code stored} flows of the input came before it and stay. */
  public void fail(Path file, String why, long stored) {
    failed++;
    atLeast(ExitCodes.FAILED);
    System.err.println(
        ShownText.of(how(file, stored) + ": " + FileReason.withoutName(file, why) + rest(stored)));
  }

  private String how(Path file, long stored) {
    return file + ": " + (stored == 0 ? notDone : "not read to its end");
  }

  private String rest(long stored) {
    return stored == 0 ? "" : "; " + stored + " flows before it are " + done;
  }

  /** As {@link #fail(Path, String, long)}, of a defect of flowmon. */
  public void fail(Path file, Failure defect, long stored) {
    failed++;
    atLeast(ExitCodes.ABORTED);
    defect.print(
        ShownText.of(how(file, stored) + rest(stored)),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8));
  }

  public void atLeast(int least) {
    code = Math.max(code, least);
  }

  public int failed() {
    return failed;
  }

  public int code() {
    return code;
  }

  /** What was lost of the inputs that were read, for example {@code 3 datagrams, 1 lines}. */
  public String lost() {
    return shown(lost);
  }

  /** Unit → count, as text. */
  public static String shown(Map<String, Long> lost) {
    return lost.isEmpty()
        ? "nothing"
        : lost.entrySet().stream()
            .map(unit -> unit.getValue() + " " + unit.getKey())
            .collect(Collectors.joining(", "));
  }
}
