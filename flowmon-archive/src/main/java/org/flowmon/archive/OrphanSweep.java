package org.flowmon.archive;

import java.util.List;

/**
 * The deleted files that no commit names and no live writer owns.
 *
 * @param files absolute paths or URLs
 * @param bytes their bytes
 */
public record OrphanSweep(List<String> files, long bytes) {
  public OrphanSweep {
    files = List.copyOf(files);
  }
}
