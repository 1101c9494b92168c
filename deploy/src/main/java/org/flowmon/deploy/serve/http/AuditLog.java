package org.flowmon.deploy.serve.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import org.flowmon.deploy.command.CommandException;

/** A line of JSON for each request: who asked what, and how it ended. */
public final class AuditLog implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final PrintStream out;
  private final boolean isOwn;

  private AuditLog(PrintStream out, boolean isOwn) {
    this.out = out;
    this.isOwn = isOwn;
  }

  /** Appends to the file; without one to standard error. */
  public static AuditLog open(Optional<Path> file) {
    if (file.isEmpty()) {
      return new AuditLog(System.err, false);
    }
    try {
      return new AuditLog(
          new PrintStream(
              Files.newOutputStream(
                  file.get(), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
              true,
              StandardCharsets.UTF_8),
          true);
    } catch (IOException e) {
      throw new CommandException("--audit: " + file.get() + " cannot be written: " + e);
    }
  }

  void write(Map<String, Object> entry) {
    try {
      String line = JSON.writeValueAsString(entry);
      synchronized (out) {
        out.println(line);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e); // plain values always have JSON
    }
  }

  @Override
  public void close() {
    if (isOwn) {
      out.close();
    }
  }
}
