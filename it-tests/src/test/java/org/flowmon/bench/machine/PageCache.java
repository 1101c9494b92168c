package org.flowmon.bench.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes the operating system forget the pages of files, so that they are read from the disk again.
 * Java cannot request it; {@code dd} of GNU's coreutils can, and {@code fincore} of util-linux
 * checks the result. Pages that a process has mapped stay.
 */
public final class PageCache {
  private static final double TOLERATED = 0.02;
  private static final int FILES_OF_A_CALL = 500;

  private PageCache() {}

  /**
   * Drops the pages of files, and of all files in folders.
   *
   * @return empty if they are gone; else why they are not, or why that is unknown
   */
  public static Optional<String> drop(Path... paths) throws IOException {
    List<String> files = new ArrayList<>();
    for (Path path : paths) {
      try (var found = Files.walk(path)) {
        found.filter(Files::isRegularFile).map(Path::toString).forEach(files::add);
      }
    }
    for (String file : files) {
      Output dd =
          run(List.of("dd", "of=" + file, "oflag=nocache", "conv=notrunc,fdatasync", "count=0"));
      if (dd.code() != 0) {
        return Optional.of("dd cannot drop pages of " + file + ": " + dd.text().strip());
      }
    }
    return resident(files);
  }

  private static Optional<String> resident(List<String> files) throws IOException {
    long resident = 0;
    long bytes = 0;
    for (int from = 0; from < files.size(); from += FILES_OF_A_CALL) {
      List<String> command =
          new ArrayList<>(List.of("fincore", "-b", "-n", "-r", "-o", "RES,SIZE"));
      command.addAll(files.subList(from, Math.min(files.size(), from + FILES_OF_A_CALL)));
      Output fincore = run(command);
      if (fincore.code() != 0) {
        return Optional.of("whether pages were dropped is not known: " + fincore.text().strip());
      }
      for (String line : fincore.text().strip().split("\n", -1)) {
        String[] numbers = line.strip().split(" +", -1);
        resident += Long.parseLong(numbers[0]);
        bytes += Long.parseLong(numbers[1]);
      }
    }
    return resident > TOLERATED * bytes
        ? Optional.of(String.format("%,d of %,d bytes stayed in memory", resident, bytes))
        : Optional.empty();
  }

  private record Output(int code, String text) {}

  private static Output run(List<String> command) throws IOException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return new Output(-1, e.getMessage()); // there is no such program
    }
    try (var printed = process.getInputStream()) {
      process.getOutputStream().close();
      String text = new String(printed.readAllBytes(), StandardCharsets.UTF_8);
      return new Output(ChildJvm.await(process), text);
    }
  }
}
