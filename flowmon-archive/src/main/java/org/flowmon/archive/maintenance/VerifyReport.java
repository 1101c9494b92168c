package org.flowmon.archive.maintenance;

import java.util.List;

/**
 * The result of a verification.
 *
 * @param commits commits of the manifest
 * @param segments segments that the manifest names
 * @param rows rows of these
 * @param bytes bytes of files that were read
 * @param damages empty if every byte is as written
 * @param orphans paths or URLs of files that no commit knows; they are no damage
 * @param passedOver files of other versions, which were not checked, and why; they are no damage
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
   * One finding.
   *
   * @param file the damaged or missing file: its path or URL
   * @param place the damaged part
   * @param what the finding and the expectation
   * @param remedy what to do about it
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
