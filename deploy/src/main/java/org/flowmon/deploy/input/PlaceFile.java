package org.flowmon.deploy.input;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.ingest.file.live.FollowedLog.Place;

/**
 * How far a log was read, in a file of one line: {@code flowmon-follow 1 OFFSET FILE}, the file by
 * what its file system calls it. It is replaced as a whole.
 */
public final class PlaceFile {
  private static final String BEGIN = "flowmon-follow 1 ";

  private PlaceFile() {}

  /** Empty if there is no such file yet; throws {@link CommandException} if it is another one. */
  public static Optional<Place> read(Path file) throws IOException {
    String line;
    try {
      line = Files.readString(file, StandardCharsets.UTF_8).strip();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    int space = line.indexOf(' ', BEGIN.length());
    if (line.startsWith(BEGIN) && space > 0) {
      try {
        long offset = Long.parseLong(line.substring(BEGIN.length(), space));
        return Optional.of(new Place(line.substring(space + 1), offset));
      } catch (NumberFormatException e) {
        // as any other text
      }
    }
    throw new CommandException(
        file + " is not the state of a followed log: remove it to begin again");
  }

  public static void write(Path file, Place place) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.writeString(next, BEGIN + place.offset() + ' ' + place.file() + '\n');
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
