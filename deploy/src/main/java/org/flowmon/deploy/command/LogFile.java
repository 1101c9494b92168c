package org.flowmon.deploy.command;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The log file of a process that runs for long, in the folder that {@code FLOWMON_LOG_DIR} names:
 * {@code collect.log}, or {@code collect-2.log} beside another collector. It has what standard
 * error has, and is rotated ({@code log4j2-file.properties}).
 */
public final class LogFile {
  /** The folder's name in the environment. */
  public static final String FOLDER = "FLOWMON_LOG_DIR";

  /** The file without {@code .log}, in {@code log4j2-file.properties}. */
  private static final String FILE = "flowmon.log.file";

  private static final Set<String> LONG = Set.of("collect", "serve", "demo", "replay");
  private static final int MOST = 1000;

  /** Held until the process ends: a lock whose channel is collected is gone. */
  private static final List<FileLock> HELD = new ArrayList<>();

  private LogFile() {}

  /**
   * Call it before the first logger is made.
   *
   * @param command the first word of the command line
   * @param folder the value of {@link #FOLDER}; null or empty: no file
   * @throws CommandException if the folder cannot be written
   */
  public static void begin(String command, @Nullable String folder) {
    if (folder != null && !folder.isBlank() && LONG.contains(command)) {
      try {
        options(free(Files.createDirectories(Path.of(folder)), command)).forEach(LogFile::set);
      } catch (IOException e) {
        throw new CommandException(
            FOLDER + "=" + folder + " cannot be written: " + e + "; name a folder that can");
      }
    }
  }

  /**
   * Options of a JVM with flowmon's class path that logs to a file.
   *
   * @param file without {@code .log}
   */
  public static List<String> options(Path file) {
    return List.of(
        "-D" + FILE + "=" + file.toAbsolutePath(),
        "-Dlog4j2.configurationFile=classpath:log4j2.properties,classpath:log4j2-file.properties");
  }

  private static void set(String option) {
    int equals = option.indexOf('=');
    System.setProperty(option.substring("-D".length(), equals), option.substring(equals + 1));
  }

  /** The first name that no other process has. */
  private static Path free(Path folder, String command) throws IOException {
    for (int i = 1; i <= MOST; i++) {
      String name = i == 1 ? command : command + "-" + i;
      FileChannel channel =
          FileChannel.open(
              folder.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock != null) {
        HELD.add(lock);
        return folder.resolve(name);
      }
      channel.close();
    }
    throw new IOException(MOST + " processes log there");
  }
}
