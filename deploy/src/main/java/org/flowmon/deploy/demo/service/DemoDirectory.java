package org.flowmon.deploy.demo.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.deploy.embedded.EmbeddedPostgres;

/** Creates the directory of a demo before its services start. */
public final class DemoDirectory {
  private DemoDirectory() {}

  /**
   * Creates the directory and PostgreSQL's folder in it, whose programs and password no other user
   * may replace. If refused, new directories are removed: the same command works later.
   *
   * @throws IOException if it is not empty
   * @throws org.flowmon.jobs.embedded.EmbeddedServiceException if other users could change it
   */
  public static void prepare(Path directory, Path postgres) throws IOException {
    if (Files.exists(directory)) {
      checkEmpty(directory);
    }
    List<Path> made = missing(directory);
    made.add(0, postgres);
    try {
      Files.createDirectories(directory);
      EmbeddedPostgres.prepare(postgres);
    } catch (IOException | RuntimeException e) {
      made.forEach(DemoDirectory::removeEmpty);
      throw e;
    }
  }

  private static void checkEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      if (files.findAny().isPresent()) {
        throw new IOException(directory + " is not empty: the demo wants a directory of its own");
      }
    }
  }

  private static List<Path> missing(Path directory) {
    List<Path> missing = new ArrayList<>();
    for (Path at = directory; at != null && !Files.exists(at); at = at.getParent()) {
      missing.add(at);
    }
    return missing;
  }

  private static void removeEmpty(Path folder) {
    try {
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      // Somebody has put files there: do not remove it.
    }
  }
}
