package org.flowmon.archive.maintenance;

import java.util.List;

/**
 * The result of a verification: {@code segments} that the manifest names, with their rows; {@code
 * bytes} read; {@code damages}, empty if every byte is as written; {@code orphans}, paths or URLs
 * of files that no commit knows, and {@code passedOver} files of other versions, unchecked, and
 * why: neither are damage.
 */
public record VerifyReport(
    long commits,
    int segments,
    long rows,
    long bytes,
    List<Damage> damages,
    List<String> orphans,
    List<String> passedOver) {
  /**
   * A damaged or missing file (path or URL), the part, the finding and expectation, and what to do.
   */
  public record Damage(String file, String place, String what, String remedy) {
    @Override
    public String toString() {
      return file + ": " + place + ": " + what;
    }
  }

  public VerifyReport {
    damages = List.copyOf(damages);
    orphans = List.copyOf(orphans);
    passedOver = List.copyOf(passedOver);
  }

  public boolean isSound() {
    return damages.isEmpty();
  }

  /** 0 if everything is sound, 1 if something is damaged. */
  public int exitCode() {
    return isSound() ? 0 : 1;
  }
}
