package org.flowmon.archive.directory;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.derived.RunFolder;
import org.flowmon.archive.derived.RunKind;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveStore;

/** This process's view of one archive's host directory. Safe for many threads. */
public final class HostDirectory extends RunFolder<HostRun> {
  public static final String FOLDER = "directory";

  private static final RunKind<HostRun> KIND =
      new RunKind<>(
          FOLDER,
          HostRunFormat.SUFFIX,
          "the host directory",
          Duration.ofSeconds(1),
          "segments were read instead; flowmon compact rebuilds the directory",
          HostRun::open);

  public HostDirectory(ArchiveStore store, UUID archive) {
    super(store, archive, KIND);
  }

  /** The {@link #view} of a snapshot's segments, of commit {@code number}; to be released. */
  public HostView hosts(long number, List<SealedSegment> segments) throws IOException {
    return new HostView(view(number, segments));
  }

  /** A view that leaves out no segment; to be released. */
  public HostView noHosts(List<SealedSegment> segments) {
    return new HostView(none(segments));
  }

  @Override
  protected HostContent content(String segmentsFolder, List<SealedSegment> segments) {
    return new HostContent(this, segmentsFolder, segments);
  }
}
