package org.flowmon.deploy.remote;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.flowmon.deploy.command.CommandException;

/** The job's jar, which a cluster of Flink takes. */
public final class JobJar {
  private JobJar() {}

  /** The file given by {@code --job-jar}, else that which the launcher names. */
  public static Path of(Optional<Path> given) {
    Path jar =
        given
            .or(() -> Optional.ofNullable(System.getProperty("flowmon.job.jar")).map(Path::of))
            .orElseThrow(() -> new CommandException("--job-jar names the job's jar"));
    if (!Files.isRegularFile(jar)) {
      throw new CommandException(jar + " is missing: ./flowmon build makes it, --job-jar names it");
    }
    return jar.toAbsolutePath();
  }
}
