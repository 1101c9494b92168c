package org.flowmon.deploy.status;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.Coverage;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.output.Facts;
import org.flowmon.flow.time.FlowTime;

/** An archive, by its manifest. */
final class ArchiveStatus {
  private ArchiveStatus() {}

  static Part of(ArchiveLocation location, Instant now) {
    try (Archive archive = ArchiveOption.open(location);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      return of(snapshot, now);
    } catch (IOException | CommandException e) {
      return Part.of("archive", Part.State.UNKNOWN, String.valueOf(e.getMessage()));
    }
  }

  private static Part of(ArchiveSnapshot snapshot, Instant now) {
    List<SealedSegment> segments = snapshot.segments();
    Facts facts = new Facts();
    List<String> lines = new ArrayList<>();
    facts.value("archive", snapshot.location().toString());
    facts.value("flows", snapshot.rows());
    facts.value("segments", segments.size());
    facts.value("commit", snapshot.number());
    Optional<SealedSegment> last =
        segments.stream().max(Comparator.comparingLong(one -> one.arrival().max()));
    lines.add(
        "%,d flows in %,d segments, commit %d"
            .formatted(snapshot.rows(), segments.size(), snapshot.number()));
    last.ifPresent(
        one -> {
          Instant arrived = FlowTime.instant(one.arrival().max());
          facts.value("last_segment", one.id());
          facts.value("newest_arrival", arrived.toString());
          lines.add("newest arrival " + Part.time(arrived, now));
        });
    if (!segments.isEmpty()) {
      lines.add(Coverage.of(snapshot).toString());
    }
    facts.value(
        "complete_through",
        snapshot.committedEnds().isEmpty() ? null : FlowTime.textOrNull(snapshot.historyThrough()));
    facts.value("gaps", snapshot.gaps().size());
    facts.value("retention", snapshot.retention().toString());
    facts.value("expired_rows", snapshot.expiredRows());
    facts.value("late_rows", snapshot.lateRows());
    lines.add(
        "keeps %s; %,d flows have expired".formatted(snapshot.retention(), snapshot.expiredRows()));
    return new Part("archive", Part.State.OK, lines, facts);
  }
}
