package org.flowmon.archive.manifest;

import java.io.IOException;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.retention.Expiration;

/** Prepares a commit, anew for each state that it is tried on. */
public interface CommitPreparation {
  /** Of a commit that hides nothing, and has no segments: it does not look for their files. */
  CommitPreparation NONE =
      new CommitPreparation() {
        @Override
        public Expiration prepare(ManifestState before, ArchiveCommit commit) {
          if (!commit.segments().isEmpty()) {
            throw new IllegalArgumentException(
                "a commit of " + commit.segments().size() + " segments, whose files are unchecked");
          }
          return Expiration.NONE;
        }

        @Override
        public void discard(Expiration expiration, ManifestState now) {
          // nothing was written
        }
      };

  /**
   * Decides which rows a commit hides; segments that it trims lie sealed in the archive's folder.
   *
   * @throws CommitRefusedException if a segment's file is missing, or the commit does not fit the
   *     hidden rows of {@code before}
   */
  Expiration prepare(ManifestState before, ArchiveCommit commit) throws IOException;

  /**
   * Discards an expiration because another commit was first. Nothing that {@code now}, read after
   * that, {@linkplain ManifestState#knows knows} may be deleted.
   */
  void discard(Expiration expiration, ManifestState now) throws IOException;
}
