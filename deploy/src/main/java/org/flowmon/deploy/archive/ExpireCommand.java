package org.flowmon.deploy.archive;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.time.FlowTime;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon expire}: sets an archive's retention. */
@Command(
    name = "expire",
    mixinStandardHelpOptions = true,
    description = {
      "Sets how much of the past an archive keeps, and hides older flows. The archive keeps the"
          + " limits, and every writer applies them from then on. A limit that is not named stays"
          + " as it is, 0 removes one; the strictest holds.",
      "Without a limit, applies those that are set. Expired flows never come back."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon expire --archive DIR --rows 100000000",
      "  flowmon expire --archive DIR --age 90d --bytes 500000000000",
      "  flowmon expire --archive DIR --trim"
    })
public final class ExpireCommand implements Callable<Integer> {
  @Mixin private MaintenanceOptions maintenance;

  @Option(names = "--rows", paramLabel = "N", description = "Keep the N most recent flows.")
  private @Nullable Long rows;

  @Option(
      names = "--slack",
      paramLabel = "K",
      description =
          "Store at most K flows beyond N; default: a tenth of N, at least an eighth of the largest"
              + " segment, which is the least. The more, the less is rewritten.")
  private @Nullable Long slack;

  @Option(
      names = "--age",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "Keep flows at most this much older than the newest arrival, as 90d. Arrivals more than"
              + " an hour later than this machine's clock do not count: a clock from the future"
              + " expires nothing.")
  private @Nullable Duration age;

  @Option(
      names = "--bytes",
      paramLabel = "B",
      description = "Keep the most recent flows that take at most this many bytes of files.")
  private @Nullable Long bytes;

  @Option(names = "--now", description = "Count ages back from this machine's clock, this time.")
  private boolean now;

  @Option(
      names = "--trim",
      description = "Rewrite every file that holds expired flows beside others.")
  private boolean trim;

  @Override
  public Integer call() throws IOException {
    return maintenance.run(this::expire);
  }

  private int expire(Archive opened) throws IOException {
    RetentionOptions limits;
    try (ArchiveSnapshot snapshot = opened.snapshot()) {
      limits = limits(snapshot);
    }
    long clock = now ? FlowTime.now() : Long.MIN_VALUE;
    CommitResult result =
        opened.commit(
            ArchiveCommit.ofRetention(new RetentionChange(limits, clock, trim), "flowmon expire"));
    int deleted = maintenance.removeReplaced(opened);
    try (ArchiveSnapshot snapshot = opened.snapshot()) {
      System.out.printf(
          "%d flows expired; files of %d segments deleted%n", result.expiredRows(), deleted);
      System.out.println(RetentionText.line(snapshot));
    }
    return ExitCodes.DONE;
  }

  private RetentionOptions limits(ArchiveSnapshot snapshot) {
    RetentionOptions held = snapshot.retention();
    long most = snapshot.segments().stream().mapToLong(SealedSegment::rows).max().orElse(0);
    long kept = rows == null ? held.rows() : rows;
    long more = -1;
    if (slack != null) {
      more = slack;
    } else if (rows == null) {
      more = held.slack();
    }
    if (slack != null && (slack < 0 || kept == 0)) {
      throw new UsageException("--slack: expected 0 or more, with --rows");
    }
    try {
      RetentionOptions limits =
          RetentionOptions.of(
              kept,
              more,
              age == null ? Duration.of(held.ageMicros(), ChronoUnit.MICROS) : age,
              bytes == null ? held.bytes() : bytes);
      return slack == null && rows == null ? limits : limits.withSlackFor(most);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--rows, --slack, --age, --bytes: " + e.getMessage());
    }
  }
}
