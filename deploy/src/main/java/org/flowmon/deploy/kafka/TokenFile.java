package org.flowmon.deploy.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.deploy.command.CommandException;

/** A secret that stands in the first line of a file. */
public final class TokenFile {
  private static final int LEAST = 16;

  private TokenFile() {}

  /** Throws {@link CommandException} if there is none, or it is short enough to be guessed. */
  public static String read(Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      throw new CommandException("no such file: " + file);
    } catch (IOException e) {
      throw new CommandException(file + " cannot be read: " + e);
    }
    String token = lines.isEmpty() ? "" : lines.get(0).strip();
    if (token.length() < LEAST || !token.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
      throw new CommandException(
          file + ": the first line is no token of " + LEAST + " letters, digits and signs or more");
    }
    return token;
  }
}
