package org.flowmon.deploy.archive;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.maintenance.VerifyReport;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.deploy.terminal.ProgressOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code flowmon verify}: reads every byte of an archive. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description =
        "Reads every byte of an archive and names each damage; exit code 1 if there is any, 3 if"
            + " there is no archive.")
public final class VerifyCommand implements Callable<Integer> {
  @Mixin private ArchiveOption archive;

  @Mixin private ProgressOption progressOption;

  @Override
  public Integer call() throws IOException {
    ArchiveLocation location = archive.existing();
    VerifyReport report;
    try (Progress progress = progressOption.start()) {
      progress.begin("verify", storedRows(), progress::flows);
      report = ArchiveVerifier.verify(location, progress::flows);
    }
    report.damages().forEach(damage -> System.out.println("damaged: " + damage));
    remedies(report.damages())
        .forEach((remedy, files) -> System.out.printf("to do, %s: %s%n", files, remedy));
    report.passedOver().forEach(file -> System.out.println("not checked (no damage): " + file));
    report.orphans().forEach(file -> System.out.println("orphan (no damage): " + file));
    System.out.printf(
        "%s: %d commits, %d segments, %d flows, %d bytes read, %d damages%n",
        report.isSound() ? "sound" : "DAMAGED",
        report.commits(),
        report.segments(),
        report.rows(),
        report.bytes(),
        report.damages().size());
    if (report.isSound()) {
      try (Archive opened = archive.open();
          ArchiveSnapshot snapshot = opened.snapshot()) {
        System.out.println("it holds " + Coverage.of(snapshot));
        if (snapshot.retention().isLimited() || snapshot.expiredRows() > 0) {
          System.out.println(RetentionText.line(snapshot));
        }
        GapText.lines(snapshot).forEach(System.out::println);
      }
    }
    return report.isSound() ? ExitCodes.DONE : ExitCodes.NO;
  }

  private static Map<String, String> remedies(List<VerifyReport.Damage> damages) {
    Map<String, Set<String>> files = new LinkedHashMap<>();
    for (VerifyReport.Damage damage : damages) {
      files.computeIfAbsent(damage.remedy(), r -> new LinkedHashSet<>()).add(damage.file());
    }
    Map<String, String> inShort = new LinkedHashMap<>();
    files.forEach(
        (remedy, all) ->
            inShort.put(
                remedy,
                all.size() == 1 ? all.iterator().next() : all.size() + " files, as named above"));
    return inShort;
  }

  /** The number of rows to read, 0 if the manifest is damaged. */
  private long storedRows() throws IOException {
    try (Archive opened = archive.open();
        ArchiveSnapshot snapshot = opened.snapshot()) {
      return snapshot.storedRows();
    } catch (ManifestCorruptException e) {
      return 0;
    }
  }
}
