package org.flowmon.archive.maintenance;

import java.util.List;

/**
 * The result of a verification: segments in the manifest and their rows, bytes read, damages, none
 * if every byte is as written. No damage are {@code orphans}, paths or URLs that no commit knows,
 * and {@code passedOver}, unchecked files of other versions, and why.
 */
public record VerifyReport(
    long commits,
    int segments,
    long rows,
    long bytes,
    List<Damage> damages,
    List<String> orphans,
    List<String> passedOver) {
  /** A damaged or missing file (path or URL), the part, finding and expectation, the remedy. */
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
}
