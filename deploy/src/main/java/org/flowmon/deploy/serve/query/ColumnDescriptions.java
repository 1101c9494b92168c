package org.flowmon.deploy.serve.query;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;

/** What columns are, in a few words; users' own have no description. */
public final class ColumnDescriptions {
  private static final Properties ALL = read();

  private ColumnDescriptions() {}

  private static Properties read() {
    Properties all = new Properties();
    try (InputStream in =
        ColumnDescriptions.class.getResourceAsStream(
            "/org/flowmon/deploy/serve/columns.properties")) {
      if (in == null) {
        throw new IllegalStateException("columns.properties is missing");
      }
      all.load(new InputStreamReader(in, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }

  public static Optional<String> of(String column) {
    return Optional.ofNullable(ALL.getProperty(column));
  }
}
