package org.flowmon.archive;

import java.util.List;

/** The deleted files, absolute paths or URLs, that no commit names and no live writer owns. */
public record OrphanSweep(List<String> files, long bytes) {
  public OrphanSweep {
    files = List.copyOf(files);
  }
}
