package org.flowmon.archive.manifest;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;

/** Segments that exist only in manifests, and copies of directories. */
public final class ManifestFixtures {
  private ManifestFixtures() {}

  /** A description of a segment whose files are not needed. */
  public static SealedSegment segment(String id, int rows, long time) {
    TimeRange range = new TimeRange(time, time + 10);
    FileIdentity file = new FileIdentity(100 + rows, 1, 10, 2);
    return new SealedSegment(
        id, rows, range, range, range, range, BigInteger.TWO.pow(70), BigInteger.ONE, file, file);
  }

  public static ArchiveCommit commit(String segment, SourceRange... ranges) {
    return ArchiveCommit.ofRanges(
        List.of(segment(segment, ranges.length, ranges[0].firstOffset())), List.of(ranges), "test");
  }

  /** Commits without a look at files, which hides nothing. */
  public static CommitResult commit(Manifest manifest, ArchiveCommit commit) throws IOException {
    return manifest.commit(
        commit,
        new CommitPreparation() {
          @Override
          public Expiration prepare(ManifestState before, ArchiveCommit prepared) {
            return Expiration.NONE;
          }

          @Override
          public void discard(Expiration expiration, ManifestState now) {
            // nothing was written
          }
        });
  }

  /** The observable parts of a state as text, to compare two. */
  public static String describe(ManifestState state) {
    return state.number()
        + " "
        + state.segments()
        + state.reach().committedEnds()
        + state.reach().gaps()
        + state.reach().historyThrough()
        + " "
        + state.reach().historyFrom()
        + " "
        + state.rows()
        + " "
        + state.bytesOnDisk()
        + " "
        + new String(ManifestSnapshot.toBytes(state), java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  public static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
