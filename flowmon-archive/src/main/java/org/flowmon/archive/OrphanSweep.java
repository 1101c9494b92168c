package org.flowmon.archive;

import java.util.List;

/**
 * What was deleted of files that no commit names and no live writer owns.
 *
 * @param files absolute paths or URLs
 * @param bytes that they had
 */
public record OrphanSweep(List<String> files, long bytes) {
  public OrphanSweep {
    files = List.copyOf(files);
  }
}
